"""The registry as scripts: one graph a name, whatever happens at the same time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from edgedp import Graph, ParameterError, Store, StoreError, UnknownNameError, open_store
from edgedp.ledger import ledger, placing, registry, sources
from edgedp.ledger.backend import Session
from edgedp.ledger.events import Declaration
from edgedp.ledger.rows import GraphRow, row_named
from edgedp.ledger.script import run
from edgedp.stores.neo4j import places

KITE = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = open_store(tmp_path / "graphs.edgedp")
    store.load(KITE, "kite", epsilon_budget=1)
    return store


@pytest.fixture
def session(store: Store) -> Iterator[Session]:
    with store._backend.session() as session:
        yield session


def row(name: str, version: int = 1) -> GraphRow:
    return GraphRow(
        name, version, "N", "T", "id", 5, None, nodes_supplied=False, loaded=True, digest="0" * 64
    )


def load(session: Session, version: GraphRow, before: GraphRow | None) -> str:
    script = placing.load_script(
        version, before, None, Declaration(), fingerprint=None, by="b", at=ledger.now(), last=[]
    )
    return run(session, script).name


def test_of_two_loads_of_a_new_name_the_second_is_refused(session: Session) -> None:
    assert load(session, row("new", 1), None) == "done"
    assert load(session, row("new", 2), None) == "changed"
    assert registry.known(session, "new").version == 1


def test_of_two_replacements_the_second_is_refused(session: Session) -> None:
    before = registry.known(session, "kite")
    assert load(session, row("kite", 1), before) == "done"
    assert load(session, row("kite", 2), before) == "changed"
    assert registry.known(session, "kite").version == 1


def test_a_drop_of_another_version_is_refused(session: Session) -> None:
    before = registry.known(session, "kite")
    load(session, row("kite", 1), before)
    assert run(session, placing.drop_script(before, [], by="b", at="a")).name == "changed"
    assert (
        run(session, placing.drop_script(registry.known(session, "kite"), [], by="b", at="a")).name == "done"
    )
    assert run(session, placing.drop_script(before, [], by="b", at="a")).name == "changed"


def test_a_load_that_is_refused_leaves_neither_row_nor_account_nor_log(session: Session) -> None:
    before = session.run("account_list")
    assert load(session, row("fresh"), row("fresh", 7)) == "changed"
    assert session.run("account_list") == before
    assert session.run("log_list", name="fresh") == []
    assert row_named(session, "fresh") is None


def test_a_registration_of_a_name_that_is_taken_is_refused(session: Session) -> None:
    script = placing.register_script(row("kite", 9), None, Declaration(), by="b", at="a", last=[])
    assert run(session, script).name == "taken"


def test_a_registration_notes_its_type_and_a_second_name_has_its_account(session: Session) -> None:
    there = replace(row("one", 9), loaded=False)
    script = placing.register_script(there, None, Declaration(10**9), by="b", at="a", last=[])
    assert run(session, script).name == "done"
    assert ledger.find(session, "one").budget == 10**9
    rows = {each: session.run(each) for each in sources.READS}
    assert set(sources.resolved("two", ["T"], rows, None).there) == {"one"}
    with pytest.raises(StoreError, match="accounts for the relationship type"):
        sources.resolved("one", ["U"], rows, None)
    with pytest.raises(StoreError, match="must not be that of a registered graph"):
        registry.check_loadable(session, "three", None, replace=False, kind="T")


def test_a_row_comes_back_as_it_was_put(session: Session) -> None:
    for supplied in (True, False):
        for bound in (None, 0, 4):
            put = GraphRow(
                "x", 2**62 - 1, "N `", "T", "id", 5, bound, nodes_supplied=supplied, loaded=True, digest="d"
            )
            for step in placing.place_steps(put):
                session.run(step.statement, **step.parameters)
            assert row_named(session, "x") == put


def test_a_misspelt_name_is_refused_with_the_nearest(session: Session) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'kite'"):
        registry.known(session, "kyte")


@pytest.mark.parametrize("name", [("kite",), ["kite"], {"kite": 1}, b"kite", 10**30, Fraction(1, 2), str])
def test_what_is_no_text_is_the_name_of_no_graph_and_no_damage_of_the_ledger(store: Store, name: Any) -> None:
    store.add_analyst("ann")
    asks: list[Callable[[], object]] = [
        lambda: store.priv_top_k(name, "degree", 1, 1),
        lambda: store.graph(name),
        lambda: store.drop(name),
        lambda: store.spent_by(name),
        lambda: store.asking_as("ann").release(name),
    ]
    for ask in asks:
        with pytest.raises(UnknownNameError, match="must "):
            ask()


def test_a_bound_above_what_a_store_keeps_is_as_one_above_the_number_of_nodes(store: Store) -> None:
    """It is found before the edges are written: a load that was refused for it left them."""
    assert store.load(KITE, "kite", degree_bound=10**30, replace=True)["degree_bound"] == 4


def test_an_empty_name_is_refused_also_by_the_command(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from edgedp.faces.cli import edgedp

    edges = tmp_path / "edges.txt"
    edges.write_text("1 2\n")
    done = CliRunner().invoke(edgedp, ["--store", str(tmp_path / "s"), "load", str(edges), "--name", ""])
    assert done.exit_code == 1
    assert "name is ''" in done.output


@pytest.mark.parametrize("name", [r"KNOW\u0053", r"\u0045dgeDP_kite_bee", r"a\u0060b"])
def test_no_label_and_no_type_holds_an_escape(name: str) -> None:
    """A statement would read another name, whose relationships have a budget already."""
    with pytest.raises(ParameterError, match="which a statement reads as the character"):
        places.check_unreserved(name, "relationship_type")
    assert places.check_unreserved(r"C:\users", "node_label") == r"C:\users"
