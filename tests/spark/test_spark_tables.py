"""Tables of a catalogue, and tables with logs of their own: one ledger for one place, whatever names it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from edgedp import Graph, open_store
from edgedp.graph.reading.sources.places import canonical
from edgedp.spark import drawing, session, sources, tables
from edgedp.spark.sources import Place
from edgedp.stores.surveying import engine_of
from edgedp.words.errors import EdgeDPError, ParameterError, StoreError
from edgedp.words.refusals import STORE_FAILED

# Sockets that pyspark leaves to the collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

STAR = Graph.from_edges([(0, each) for each in range(1, 40)] + [(1, each) for each in range(2, 6)])


def frame(spark: Any, graph: Graph, month: int = 1) -> Any:
    ends = graph.node_ids[graph.edges()]
    columns = {"payer": ends[:, 0], "payee": ends[:, 1], "month": np.full(len(ends), month)}
    return spark.createDataFrame(pa.table(columns))


@pytest.fixture
def bank(spark: Any, tmp_path: Path) -> Iterator[Path]:
    """A database ``bank`` with a table ``payments``, and where its files are; what a test makes there goes with it."""
    place = tmp_path / "bank" / "payments"
    spark.sql(f"CREATE DATABASE bank LOCATION '{tmp_path / 'bank'}'")
    frame(spark, STAR).write.partitionBy("month").saveAsTable("bank.payments", path=str(place))
    yield place
    spark.catalog.setCurrentDatabase("default")
    spark.catalog.dropTempView("payments")
    spark.sql("DROP DATABASE bank CASCADE")


@pytest.fixture
def register(tmp_path: Path) -> Callable[..., Any]:
    store = open_store(tmp_path / "s.edgedp")

    def made(name: str, edges: str, **more: Any) -> Any:
        given = {"source": "payer", "target": "payee", "epsilon_budget": 999, "degree_bound": 60} | more
        store.register_edges(name, edges, engine="spark", **given)
        return store

    return made


def test_a_table_has_one_ledger_however_it_is_named(
    spark: Any, bank: Path, register: Callable[..., Any], tmp_path: Path
) -> None:
    spark.sql(f"CREATE TABLE bank.others USING parquet LOCATION '{bank}'")
    store = register("payments", "table:bank.payments")
    spark.catalog.setCurrentDatabase("bank")
    for same in (
        "table:bank.payments", "table:BANK.Payments", "table:payments", "table:`bank`.`PAYMENTS`", "table:bank.others",
        "table:spark_catalog.bank.payments", str(bank), f"file://{bank}/", f"file:{bank}", f"{bank}/month=1",
        str(bank.parent),
    ):  # fmt: skip
        with pytest.raises(StoreError, match="kept under the name 'payments'"):
            register("again", same)
    release = store.priv_top_k("payments", "degree", 1, 90, engine="spark", request_id="once")
    assert release.nodes == [0]
    for same in ("table:payments", "table:Bank.PAYMENTS", str(bank)):
        assert store.priv_top_k(same, "degree", 1, 90, engine="spark", request_id="once").kept
    assert store.budget("payments")["epsilon_spent"] == 90
    assert store.graphs()[0]["node_count"] == STAR.node_count
    # What a name means now does not matter: it was kept in full.
    spark.catalog.setCurrentDatabase("default")
    frame(spark, Graph.from_edges([(7, each) for each in range(40) if each != 7])).createTempView("payments")
    assert store.priv_top_k("payments", "degree", 1, 90, engine="spark").nodes == [0]
    assert store.check() == []


def test_what_public_facts_refuse_is_refused_before_a_session_starts(
    spark: Any, bank: Path, register: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session starts for seconds: nothing of it is begun for an engine, an option or an amount that is refused."""
    store = register("payments", "table:bank.payments")
    store.load(STAR, "star", epsilon_budget=1)
    none = open_store(tmp_path / "none.edgedp")
    none.load(STAR, "star")

    def started() -> Any:
        raise AssertionError("a session starts")

    monkeypatch.setattr(session, "open_session", started)
    for there, name, given, says in (
        (store, "table:bank.payments", {}, "engine is 'native', must be 'spark' for 'table:bank.payments'"),
        (store, "table:bank.payments", {"engine": "igraph"}, "must be 'spark' for 'table:bank.payments'"),
        (store, "table:bank.payments", {"engine": "spark", "k": None}, "k is missing"),
        (none, "table:bank.payments", {"engine": "spark"}, "must be a stored one"),
        (store, "payments", {"engine": "spark", "epsilon": 10**6}, "is left of the budget"),
        (store, "star", {"engine": "spark", "epsilon": 2}, "is left of the budget"),
        (store, "star", {"engine": "spark", "k": 10**6}, "k is 1000000"),
        (store, "star", {"engine": "spark", "metric": "none"}, "metric is 'none'"),
        (none, "star", {"engine": "spark"}, "the budget of .star. is not declared"),
    ):
        with pytest.raises(EdgeDPError, match=says):
            there.priv_top_k(name, **({"metric": "degree", "k": 1, "epsilon": "0.1"} | given))
        asked = {"metric": "degree", "k": 1, "epsilon": "0.1"} | given
        with suppress(EdgeDPError):
            assert there.estimate(name, "topk", **asked)["refused"] is not None
    assert store.budget("star")["releases"] == store.budget("payments")["releases"] == 0


def test_rows_of_a_table_are_those_of_now_and_nodes_may_be_one_too(
    spark: Any, bank: Path, register: Callable[..., Any]
) -> None:
    spark.createDataFrame(pa.table({"id": np.arange(45)})).write.saveAsTable(
        "bank.people", path=str(bank.parent / "people")
    )
    store = register("payments", "table:bank.payments", nodes="table:bank.people")
    assert store.graphs()[0]["node_count"] == 45
    assert store.priv_top_k("payments", "degree", 1, 90, "em", engine="spark").nodes == [0]
    more = Graph.from_edges([(44, each) for each in range(44)])
    frame(spark, more, 2).write.insertInto("bank.payments")
    assert set(store.priv_top_k("payments", "degree", 2, 90, engine="spark").nodes) == {0, 44}
    frame(spark, Graph.from_edges([(50, 51)]), 3).write.insertInto("bank.payments")
    with pytest.raises(EdgeDPError, match="the ids"):
        store.priv_top_k("payments", "degree", 1, 90, engine="spark")


def test_rows_that_another_process_wrote_are_those_of_now(
    spark: Any, bank: Path, register: Callable[..., Any]
) -> None:
    """Spark remembers which files a table has, and of what it was asked to keep the rows."""
    whole = f"file://{bank.parent / 'whole'}"
    frame(spark, STAR).drop("month").write.saveAsTable("bank.whole", path=whole)
    store = register("whole", "table:bank.whole")
    kept = [spark.read.parquet(whole).cache(), spark.table("bank.whole").select("payer", "payee").cache()]
    assert [each.count() for each in kept] == [STAR.edge_count] * 2
    folder = Path(whole.removeprefix("file://"))
    for each in folder.glob("*.parquet"):
        each.unlink()
    ends = np.array([(1, each) for each in range(40) if each != 1])
    rows = folder / "rows.parquet"
    pyarrow.parquet.write_table(pa.table({"payer": ends[:, 0], "payee": ends[:, 1]}), rows)
    assert store.priv_top_k("whole", "degree", 1, 90, engine="spark").nodes == [1]
    assert kept[0].select("payee", "payer").count() == STAR.edge_count  # what the caller keeps stays
    rows.rename(bank.parent / "other.parquet")
    rows.symlink_to(bank.parent / "other.parquet")
    kept.append(spark.read.parquet(whole).select("payer", "payee").cache())
    with pytest.raises(StoreError, match="not in files below its own folder"):
        store.priv_top_k("whole", "degree", 1, 90, engine="spark")
    with pytest.raises(StoreError, match="not in files below its own folder"):
        sources.opened(Place(edges=whole, source="payer", target="payee"), spark)
    for each in kept:
        each.unpersist()


def test_no_file_is_passed_over_whatever_the_session_says(
    spark: Any, register: Callable[..., Any], tmp_path: Path
) -> None:
    folder = tmp_path / "edges"
    folder.mkdir()
    rows = pa.table({"payer": np.zeros(39, np.int64), "payee": np.arange(1, 40)})
    for name in ("a", "b"):
        pyarrow.parquet.write_table(rows, folder / f"{name}.parquet")
    nodes = tmp_path / "nodes.parquet"
    pyarrow.parquet.write_table(pa.table({"id": np.arange(40)}), nodes)
    store = register("edges", str(folder), nodes=str(nodes))
    whole = (folder / "b.parquet").read_bytes()
    (folder / "b.parquet").write_bytes(b"\0" * 40 + whole[40:])
    names = [f"spark.sql.files.ignore{each}Files" for each in ("Corrupt", "Missing")]
    for each in names:
        spark.conf.set(each, "true")
    try:
        with pytest.raises(EdgeDPError, match="the release could not be computed"):
            store.priv_top_k("edges", "degree", 1, 90, engine="spark")
    finally:
        for each in names:
            spark.conf.unset(each)


def test_what_is_no_table_of_files_is_refused(
    spark: Any, bank: Path, register: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    spark.sql("CREATE VIEW bank.recent AS SELECT * FROM bank.payments WHERE month < unix_seconds(now())")
    spark.range(3).createTempView("payments")
    for name, says in (
        ("table:bank.recent", "a view, whose rows are those of other tables and may follow the time"),
        ("table:payments", "a view"),
        ("table:bank.nothing", "which no catalogue of the session has"),
        ("table:", "which no catalogue"),
        ("table:bank.payments; DROP TABLE bank.payments", "which no catalogue"),
        (f"table:parquet.`{bank}`", "which no catalogue"),
        (f"table:delta.`{bank}`", "which no catalogue"),
    ):
        with pytest.raises(StoreError, match=says):
            register("payments", name)
        with pytest.raises(StoreError, match=f"nodes is .*{says}"):
            register("payments", "table:bank.payments", nodes=name)
    for kind, place in (("jdbc", str(bank)), ("parquet", None), ("parquet", "")):
        with monkeypatch.context() as patch:
            patch.setattr(
                tables,
                "_properties",
                lambda *_, found=(kind, place): {"provider": found[0], "location": found[1]},
            )
            with pytest.raises(StoreError, match="whose rows are not in files of its own"):
                register("payments", "table:bank.payments")
    with pytest.raises(ParameterError, match="a table of a catalogue, which only Spark finds"):
        open_store(bank / "s.edgedp").register_edges(
            "payments", "table:bank.payments", engine="native", epsilon_budget=1
        )
    assert engine_of(None, "table:bank.payments") == "spark"
    assert engine_of(None, "./table:bank.payments") == "native"


def test_rows_at_another_place_are_refused_before_the_debit(
    spark: Any, bank: Path, register: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = register("payments", "table:bank.payments")
    elsewhere = tmp_path / "elsewhere"
    frame(spark, STAR).drop("month").write.parquet(str(elsewhere))
    spark.sql(f"ALTER TABLE bank.payments ADD PARTITION (month = 2) LOCATION '{elsewhere}'")
    with pytest.raises(StoreError, match="not in files below its own folder"):
        store.priv_top_k("payments", "degree", 1, 90, engine="spark")
    spark.sql("DROP TABLE bank.payments")
    with pytest.raises(StoreError, match="which no catalogue of the session has"):
        store.priv_top_k("payments", "degree", 1, 90, engine="spark")
    spark.sql(f"CREATE TABLE bank.payments USING parquet LOCATION '{elsewhere}'")
    with pytest.raises(StoreError, match="at another place than when it was registered"):
        store.priv_top_k("payments", "degree", 1, 90, engine="spark")
    spark.sql("DROP TABLE bank.payments")
    spark.sql("CREATE VIEW bank.payments AS SELECT 1 AS payer, 2 AS payee")
    with pytest.raises(StoreError, match="a view"):
        store.priv_top_k("payments", "degree", 1, 90, engine="spark")
    assert store.budget("payments")["epsilon_spent"] == 0
    # After the debit none of this is told.
    spark.sql("DROP VIEW bank.payments")
    spark.sql(f"CREATE TABLE bank.payments USING parquet LOCATION '{bank}'")
    spark.sql("MSCK REPAIR TABLE bank.payments")
    monkeypatch.setattr(sources, "table_rows", once(sources.table_rows))
    with pytest.raises(StoreError) as refused:
        store.priv_top_k("payments", "degree", 1, 90, engine="spark")
    assert str(refused.value).partition(" (release ")[0] == STORE_FAILED
    assert refused.value.__cause__ is None
    assert store.budget("payments")["epsilon_spent"] == 90


def once(read: Callable[..., Any]) -> Callable[..., Any]:
    """Let the first reading pass, which is that before the debit."""
    left = [read]

    def asked(*given: Any) -> Any:
        if left:
            return left.pop()(*given)
        raise StoreError("the table went to /secret/place")

    return asked


def test_a_link_out_of_a_table_is_elsewhere(
    spark: Any, bank: Path, register: Callable[..., Any], tmp_path: Path
) -> None:
    bank.rename(tmp_path / "real")
    bank.mkdir()
    (bank / "month=1").symlink_to(tmp_path / "real" / "month=1")
    with pytest.raises(StoreError, match="not in files below its own folder"):
        register("payments", "table:bank.payments")
    # Of a plain folder too, and one that came after the registration.
    links, texts = tmp_path / "links", tmp_path / "texts.csv"
    own = pa.table({"payer": [1], "payee": [2]})
    for folder in (links, texts):
        folder.mkdir()
    pyarrow.parquet.write_table(own, links / "own.parquet")
    (texts / "own.csv").write_text("payer,payee\n1,2\n")
    (tmp_path / "other.csv").write_text("payer,payee\n1,3\n")
    for number, folder in enumerate((links, texts)):
        store = register(f"plain{number}", str(folder))
    (links / "other.parquet").symlink_to(next((tmp_path / "real").rglob("*.parquet")))
    (texts / "other.csv").symlink_to(tmp_path / "other.csv")
    for number, folder in enumerate((links, texts)):
        with pytest.raises(StoreError, match="not in files below its own folder"):
            store.priv_top_k(f"plain{number}", "degree", 1, 90, engine="spark")
        assert store.budget(f"plain{number}")["epsilon_spent"] == 0
        store.drop(f"plain{number}")
        with pytest.raises(StoreError, match="not in files below its own folder"):
            register(f"plain{number}", str(folder))


@pytest.mark.parametrize("of", ["a file", "the folder"])
def test_a_link_that_comes_while_rows_are_read_is_refused(
    spark: Any, register: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: str
) -> None:
    """The files were looked at before they were read: what is drawn of those of another ledger is not shown."""
    for name in ("edges", "other"):
        (tmp_path / name).mkdir()
        rows = pa.table({"payer": np.zeros(39, np.int64), "payee": np.arange(1, 40)})
        pyarrow.parquet.write_table(rows, tmp_path / name / "a.parquet")
    store = register("edges", str(tmp_path / "edges"))
    place = tmp_path / "edges" / "a.parquet" if of == "a file" else tmp_path / "edges"
    draw = drawing.draw_answer

    def then_linked(*given: Any) -> Any:
        place.rename(tmp_path / "aside")
        place.symlink_to(str(place).replace("edges", "other"))
        return draw(*given)

    monkeypatch.setattr(drawing, "draw_answer", then_linked)
    with pytest.raises(StoreError) as refused:
        store.priv_top_k("edges", "degree", 1, 90, engine="spark")
    assert str(refused.value).partition(" (release ")[0] == STORE_FAILED
    assert store.releases("edges")[-1]["nodes"] is None


@pytest.mark.parametrize("ending", ["", ".csv"])
@pytest.mark.parametrize("folder", ["month=2", "old"])
def test_a_folder_of_which_spark_leaves_out_files_is_refused(
    spark: Any, register: Callable[..., Any], tmp_path: Path, folder: str, ending: str
) -> None:
    """Beside a folder that names a value it reads no file, and none in a folder that names no value."""
    place = tmp_path / f"month=1 of all{ending}"
    for name in ("", "_temporary", "empty", folder):
        (place / name).mkdir(parents=True, exist_ok=True)
    for number, inside in enumerate(("", "_temporary", folder)):
        rows = pa.table({"payer": [1, 2], "payee": [number + 3, number + 4]})
        if ending:
            pyarrow.csv.write_csv(rows, place / inside / "a.csv")
        else:
            pyarrow.parquet.write_table(rows, place / inside / "a.parquet")
    with pytest.raises(StoreError, match="Spark would not read all files"):
        sources.opened(Place(edges=canonical(place, "edges"), source="payer", target="payee", header=True))
    hidden = place / folder / ".kept" / "a"
    hidden.parent.mkdir()
    (place / folder / f"a{ending or '.parquet'}").rename(hidden)
    (place / folder / "_SUCCESS").touch()
    edges = sources.opened(
        Place(edges=canonical(place, "edges"), source="payer", target="payee", header=True)
    )
    assert edges.frame.count() == 2


@pytest.mark.parametrize(
    ("log", "package"), [("_delta_log", "io.delta:delta-spark"), ("metadata", "org.apache.iceberg")]
)
def test_a_log_without_its_package_names_it(spark: Any, tmp_path: Path, log: str, package: str) -> None:
    if there(spark, tables._FORMATS[log]):
        pytest.skip("the session has the package")
    (tmp_path / "payments" / log).mkdir(parents=True)
    (tmp_path / "payments" / log / "v1.metadata.json").write_text("{}")
    with pytest.raises(
        StoreError, match=f"files of removed rows stay; add the package {package}.*spark.jars.packages"
    ):
        sources.opened(Place(edges=canonical(tmp_path / "payments", "edges")), spark)


def there(spark: Any, kind: str) -> bool:
    try:
        tables._check_package(spark, kind, "edges")
    except StoreError:
        return False
    return True


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_a_table_with_a_log_is_read_by_its_package(
    spark: Any, register: Callable[..., Any], tmp_path: Path, kind: str
) -> None:
    """It is skipped where the session lacks the package; ``SPARK_CONF_DIR`` may name settings that have it."""
    if not there(spark, kind):
        pytest.skip(f"the session has no package of {kind}")
    listed = tmp_path / "nodes.parquet"
    pyarrow.parquet.write_table(pa.table({"id": STAR.node_ids}), listed)
    if kind == "delta":
        place, name = tmp_path / "lake" / "payments", "default.payments"
        frame(spark, STAR).write.format("delta").saveAsTable(name, path=str(place))
    else:
        settings = {
            "": "org.apache.iceberg.spark.SparkCatalog",
            ".type": "hadoop",
            ".warehouse": str(tmp_path / "lake"),
        }
        for end, value in settings.items():
            spark.conf.set(f"spark.sql.catalog.ice{end}", value)
        place, name = tmp_path / "lake" / "bank" / "payments", "ice.bank.payments"
        frame(spark, STAR).writeTo(name).create()
    try:
        spark.sql("DELETE FROM {} WHERE payee > 30".format(name))  # noqa: S608, UP032
        store = register("payments", str(place), nodes=str(listed))
        assert store.graphs()[0]["node_count"] == STAR.node_count
        for same in (f"table:{name}", f"table:{name.upper()}", str(place)):
            with pytest.raises(StoreError, match=r"kept under the name 'payments'|no catalogue"):
                register("again", same)
        assert store.priv_top_k(f"table:{name}", "degree", 1, 90, engine="spark").nodes == [0]
        inside = next(place.rglob("*.parquet"))
        with pytest.raises(StoreError, match="files of removed rows stay; give its own folder"):
            sources.opened(Place(edges=canonical(inside, "edges"), source="payer", target="payee"), spark)
        kept = sources.opened(Place(edges=canonical(place, "edges"), source="payer", target="payee"), spark)
        assert kept.frame.count() == np.count_nonzero(STAR.node_ids[STAR.edges()][:, 1] <= 30)
        if kind == "delta":
            spark.sql(f"CREATE TABLE default.plain USING parquet LOCATION '{place}'")
            with pytest.raises(StoreError, match="a second table over the files"):
                tables.table_rows(spark, "table:default.plain", None, "edges")
            spark.sql("DROP TABLE default.plain")
            spark.sql(f"CREATE TABLE default.cloned SHALLOW CLONE {name} LOCATION '{tmp_path / 'clone'}'")
            for cloned in ("table:default.cloned", str(tmp_path / "clone")):
                with pytest.raises(StoreError, match="not in files below its own folder"):
                    register("cloned", cloned)
            spark.sql("DROP TABLE default.cloned")
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {name}")
