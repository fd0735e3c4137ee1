"""The same jar, unchanged, on the newest Neo4j."""

from __future__ import annotations

from pathlib import Path

import pytest

import edgedp
from edgedp.stores.neo4j.plugin import server_plugin
from neo4jserver.server import NEWEST_VERSION, Server
from neo4jserver.toolchain import MissingToolError, java_for
from plugin_fixtures import TOP, eventually, is_running, plugin_server


@pytest.mark.wide
def test_the_jar_runs_on_the_newest_neo4j(tmp_path: Path) -> None:
    try:
        java_for(NEWEST_VERSION)
    except MissingToolError as error:
        pytest.skip(str(error))
    with plugin_server(NEWEST_VERSION, tmp_path / "home", warm=True) as running:
        assert eventually(lambda: bool(running.workers()), 240), "it is there before anybody calls"
        planted = running.plant()
        about = server_plugin(running.driver)
        assert (about.version, about.worker, about.problem) == (edgedp.__version__, edgedp.__version__, None)
        assert len(planted.top(k=3, requestId="r")) == 3
        assert planted.top(k=3, requestId="r") == planted.top(k=3, requestId="r")
        assert planted.spent == 1.0
        rows = running.ask("CALL edgedp.exact.stream($name, {metric: 'ebc'})", name=planted.name)
        assert [row["value"] for row in rows] == edgedp.exact.ebc(planted.graph).tolist()
        config = {"metric": "ebcc", "k": 1, "epsilon": 1}
        assert running.refusal(TOP, name=planted.name, config=config).startswith("metric is 'ebcc'")
        with running.driver.session() as session, session.begin_transaction() as tx:
            tx.run(TOP, name=planted.name, config={"metric": "degree", "k": 1, "epsilon": 1}).consume()
            tx.rollback()
        assert planted.spent == 2.0
        config = {"metric": "degree", "k": 2, "epsilon": 1, "writeProperty": "rank"}
        (written,) = running.ask(
            "CALL edgedp.privTopk.write($name, $config)", name=planted.name, config=config
        )
        assert written == {"nodePropertiesWritten": 2, "epsilonRemaining": 97.0}
        running.ask("CALL edgedp.graph.drop($name)", name=planted.name)
        workers = running.workers()
        assert workers
    assert eventually(lambda: not any(map(is_running, workers)), 240)


def test_a_server_without_the_plugin_says_so(neo4j_server: Server) -> None:
    with neo4j_server.driver() as driver:
        assert server_plugin(driver).version is None
