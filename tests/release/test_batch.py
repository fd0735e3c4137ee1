"""Several releases: planned before the first is paid, and asked for in their order, also after a crash."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from click.testing import CliRunner

import edgedp
import killing
from edgedp import EdgeDPError, Graph, ParameterError, Store, open_store
from edgedp.faces.cli import edgedp as command_line
from edgedp.faces.cli.commands.batches import _check_understood
from edgedp.faces.gateway.context import _of_graph
from edgedp.mechanisms import Sld
from edgedp.stores.people.asker import Asker
from forks import Forked
from made_once import copied

STAR = Graph.from_edges(
    [(0, leaf) for leaf in range(1, 30)], nodes=range(30), properties={"age": np.arange(30)}
)
TOP: dict[str, Any] = {"graph": "star", "kind": "topk", "metric": "degree", "k": 1, "epsilon": "0.4"}


def made(store: Store) -> None:
    store.load(STAR, "star", epsilon_budget=1, attribute_epsilon_budget=1)
    store.attribute("star", "age", 0, 100)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    copied(made, tmp_path / "s").close()
    return tmp_path / "s"


def batch(*epsilons: str, **more: Any) -> list[dict[str, Any]]:
    return [TOP | {"epsilon": each} | more for each in epsilons]


def verdicts(told: dict[str, Any]) -> list[bool]:
    return [each["refused"] is None for each in told["releases"]]


@pytest.mark.parametrize("delta", [None, 1e-6])
@pytest.mark.parametrize(
    "epsilons", [("0.4", "0.4", "0.4", "0.2"), ("0.6", "0.5", "0.4"), ("0.05",) * 25, ("1", "0.000000001")]
)
def test_a_plan_of_a_batch_says_what_asking_for_it_does(
    tmp_path: Path, epsilons: tuple[str, ...], delta: float | None
) -> None:
    """What a plan refuses the ledger refuses, release by release, and what is left is what it said."""
    with open_store(tmp_path / "s") as store:
        store.load(STAR, "star", epsilon_budget=1, delta=delta)
        asked = batch(*epsilons, mechanism="em")
        before = store.log("star")
        told = store.plan_batch(asked)
        assert store.log("star") == before
        for each, said in zip(asked, told["releases"], strict=True):
            options = {key: value for key, value in each.items() if key not in ("graph", "kind")}
            if said["refused"] is None:
                store.priv_top_k("star", **options)
                left = store.budget("star")["epsilon_remaining"]
                assert left == pytest.approx(said["epsilon_remaining_after"], abs=1e-12)
            else:
                with pytest.raises(edgedp.BudgetError) as found:
                    store.priv_top_k("star", **options)
                assert str(found.value) == said["refused"]
        assert told["refused"] == verdicts(told).count(False)
        assert told["accounts"][0]["epsilon"] == pytest.approx(
            store.budget("star")["epsilon_spent"], abs=1e-9
        )


def test_shares_and_both_accounts_are_counted(place: Path) -> None:
    percentile = {"graph": "star", "kind": "percentile", "property": "age", "q": 0.5, "epsilon": "0.6"}
    with open_store(place) as store:
        store.add_analyst("ann")
        store.grant("star", "ann", epsilon_budget="0.5")
        store.grant("star", "ann", epsilon_budget=1, account="attributes")
        told = store.asking_as("ann").plan_batch([TOP, percentile, TOP, percentile])
        assert verdicts(told) == [True, True, False, False]
        assert "the share that 'ann' has" in told["releases"][2]["refused"]
        assert told["accounts"] == [
            {"epsilon": 0.4, "graph": "star", "account": "edges", "epsilon_remaining_after": 0.6},
            {"epsilon": 0.6, "graph": "star", "account": "attributes", "epsilon_remaining_after": 0.4},
        ]
        assert verdicts(store.plan_batch([TOP, percentile, TOP, percentile])) == [True, True, True, False]


def test_kept_releases_cost_nothing_and_a_wrong_one_is_refused_in_its_place(place: Path) -> None:
    with open_store(place) as store:
        store.priv_top_k("star", "degree", 1, "0.4", request_id="a")
        told = store.plan_batch(
            [TOP | {"request_id": "a"}, TOP | {"k": 99}, TOP | {"mechanism": Sld(shift="up")}]
        )
        assert [each["kept"] for each in told["releases"]] == [True, False, False]
        assert verdicts(told) == [True, False, True]
        assert "k is 99" in told["releases"][1]["refused"]
        assert told["accounts"][0]["epsilon"] == 0.4
        sure = store.plan_batch([TOP | {"target_recall": "0.9", "epsilon": "0.3"}])["releases"][0]
        assert sure["refused"] is not None or sure["epsilon"] == 0.3


@pytest.mark.parametrize(
    ("releases", "match"),
    [
        ([], "at least one release"),
        ("topk", "is not a list"),
        (None, "is not a list"),
        ([3], "release 1 is not a mapping"),
        ([TOP, {"kind": "topk"}], "release 2 does not name its graph"),
        ([TOP | {"request_id": "a"}] * 2, "has the request_id 'a' of one before it"),
        ([TOP] * 1001, "must be at most 1,000"),
        ([TOP | {"request_id": " "}], "request_id"),
    ],
)
def test_what_is_no_batch_is_refused(place: Path, releases: Any, match: str) -> None:
    with open_store(place) as store:
        with pytest.raises(ParameterError, match=match):
            store.plan_batch(releases)
        with pytest.raises(edgedp.UnknownNameError):
            store.plan_batch([TOP | {"graph": "stat"}])


def test_a_plan_does_not_tell_whether_a_release_on_its_way_is_drawn_yet(place: Path) -> None:
    """How long a draw takes may follow private edges: behind a gateway its answer is hidden until it leaves."""
    with open_store(place) as store:
        store.add_analyst("ann")
        store.grant("star", "ann", epsilon_budget=1)
        asker = Asker(store, "ann", hides=lambda _: True)
        store.asking_as("ann").priv_top_k("star", "degree", 1, "0.4", request_id="a")
        said = asker.plan_batch([TOP | {"request_id": "a"}])["releases"][0]
        assert "is being drawn" in said["refused"]
        assert (
            "is being drawn"
            in asker.estimate("star", **{k: v for k, v in TOP.items() if k != "graph"}, request_id="a")[
                "refused"
            ]
        )
        shown = Asker(store, "ann", hides=lambda _: False).plan_batch([TOP | {"request_id": "a"}])
        assert shown["releases"][0]["kept"]


# -- the command line -----------------------------------------------------------------------------------------------


def invoke(place: Path, *words: str, text: str | None = None) -> Any:
    return CliRunner().invoke(command_line, ["--store", str(place), *words], input=text)


def lines(*epsilons: str) -> str:
    return "\n".join(
        json.dumps(each | {"request_id": f"r{number}"}) for number, each in enumerate(batch(*epsilons), 1)
    )


def test_a_file_is_planned_and_run_and_goes_on_where_it_stood(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "monday.jsonl"
    file.write_text(lines("0.4", "0.4", "0.4"))
    planned = invoke(place, "plan", "--batch", str(file))
    assert planned.exit_code == 0, planned.output
    assert "all of star: 0.8 at most, and 0.2 would be left" in planned.output
    assert "1 would be refused" in planned.output
    ran = invoke(place, "run", str(file))
    assert ran.exit_code == 1
    assert "release 3, request_id 'r3': epsilon is 0.4, must be at most what is left" in ran.output
    assert "release 2, r2: cost 0.4; 0.2 left of star" in ran.output
    file.write_text(f"[{lines('0.4', '0.4', '0.1').replace(chr(10), ',')}]")
    again = invoke(place, "run", str(file), "--format", "json")
    assert again.exit_code == 0, again.output
    shown = [json.loads(line) for line in again.output.splitlines()]
    assert [each["kept"] for each in shown] == [True, True, False]
    with open_store(place) as store:
        assert store.budget("star")["epsilon_spent"] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ('{"graph": "star"', "line 1 is not a JSON object"),
        (
            lines("0.1") + '\n{"graph": "star", "graph": "other"}',
            "line 2 is not a JSON object with distinct keys",
        ),
        ("[1]", "release 1 is not a mapping"),
        ("[", "is not a JSON list of releases"),
        ("[NaN]", "is not a JSON list of releases"),
        ("", "at least one release"),
        (json.dumps(TOP), "release 1 has no request_id"),
        (lines("0.1") + "\n" + json.dumps(TOP | {"request_id": "x", "metrik": "degree"}), "metrik"),
        *(
            (lines("0.1") + "\n" + json.dumps(TOP | {"request_id": "x"} | wrong), match)
            for wrong, match in (
                ({"kind": "topp"}, "topp"),
                ({"kind": ["topk"]}, "kind of release is"),
                ({"k": "abc"}, "release 2, request_id 'x': k is 'abc'"),
                ({"k": 99}, "k is 99"),
                ({"epsilon": {"a": 1}}, "epsilon is"),
                ({"metric": "nope"}, "metric is 'nope'"),
                ({"graph": "stat"}, "the graph is 'stat'"),
                ({"engine": "warp"}, "engine is 'warp'"),
                ({"mechanism": "zzz"}, "mechanism is 'zzz'"),
            )
        ),
        (
            lines("0.1") + "\n" + json.dumps(TOP | {"request_id": "x", "kind": "topp"}),
            "request_id 'x': the kind",
        ),
        *(
            (
                json.dumps({"graph": "star", "kind": "count", "epsilon": "0.1", "request_id": "x"} | wrong),
                match,
            )
            for wrong, match in (
                ({"of": "common_neighbors", "pair": 5}, "pair"),
                ({"of": "common_neighbors", "pair": "12"}, "pair"),
                ({"of": "degree", "node": ["1"]}, "node"),
                ({"of": "degree", "node": True}, "node"),
            )
        ),
    ],
)
def test_a_file_that_is_not_understood_whole_spends_nothing(place: Path, text: str, match: str) -> None:
    ran = invoke(place, "run", "-", text=text)
    assert ran.exit_code == 1
    assert match in ran.output
    assert ran.output.count("\n") == 1
    with open_store(place) as store:
        assert store.budget("star")["epsilon_spent"] == 0


def test_a_run_of_more_releases_than_a_gateway_plans_at_once_is_understood(place: Path) -> None:
    store, sizes = open_store(place), list[int]()

    class Gateway:
        def plan_batch(self, releases: list[dict[str, Any]]) -> dict[str, Any]:
            sizes.append(len(_of_graph("star", releases)))
            return store.plan_batch(releases)

    many = [TOP | {"request_id": f"run {number}"} for number in range(101)]
    odd = TOP | {"request_id": "odd", "k": 10**6}
    with pytest.raises(EdgeDPError, match="release 102, request_id 'odd': k is 1000000"):
        _check_understood(cast("Store", Gateway()), [*many, odd])
    assert sizes == [100, 2]
    with pytest.raises(EdgeDPError, match="there are 101 releases, must be at most 100 in one plan"):
        _of_graph("star", many)


def test_a_mark_of_bytes_and_ends_of_lines_of_other_kinds_are_read(place: Path) -> None:
    text = "\ufeff" + lines("0.1") + "\r\n"
    assert invoke(place, "run", "-", text=text).exit_code == 0
    spaced = json.dumps(TOP | {"metric": "a\u2028b", "request_id": "x"}, ensure_ascii=False)
    ran = invoke(place, "run", "-", text=spaced)
    assert "request_id 'x': metric is" in ran.output
    with open_store(place) as store:
        assert store.budget("star")["epsilon_spent"] == 0.1
        with pytest.raises(edgedp.UnknownNameError, match=r"^release 2 of 'star': the kind of release"):
            store.plan_batch([TOP, TOP | {"kind": "topp"}])


def test_a_plan_of_a_batch_stands_alone_and_the_other_needs_its_options(place: Path) -> None:
    assert invoke(place, "plan", "--batch", "-", "--nodes", "9", text=lines("0.1")).exit_code == 2
    assert "Missing option '--nodes'" in invoke(place, "plan", "--epsilon", "1", "-k", "1").output


def killed_at(point: str, place: Path, file: Path) -> None:
    """Run a file until its fifth release is at a point."""
    program = "from edgedp.faces.cli import main; main()"
    words = killing.command(f"{point}*5", program, "--store", str(place), "run", str(file))
    killed = subprocess.run(words, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL


def test_a_run_that_is_killed_pays_for_nothing_twice(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    file.write_text(lines(*["0.05"] * 12))
    killed_at("recorded", place, file)
    with open_store(place) as store:
        assert store.budget("star")["epsilon_spent"] == pytest.approx(0.25)
        first = [row["nodes"] for row in store.releases("star")]
    again = invoke(place, "run", str(file))
    assert again.exit_code == 0, again.output
    assert again.output.count("was there already") == 5
    with open_store(place) as store:
        assert store.budget("star")["epsilon_spent"] == pytest.approx(0.6)
        assert [row["nodes"] for row in store.releases("star")][:5] == first


@pytest.mark.parametrize("point", ["debited", "drawn"])
def test_a_release_that_a_kill_cut_off_is_named_and_never_drawn_again(
    place: Path, tmp_path: Path, point: str
) -> None:
    """Between debit and answer the budget is lost: neither plan nor run takes it for an answer that is there."""
    file = tmp_path / "many.jsonl"
    file.write_text(lines(*["0.05"] * 12))
    killed_at(point, place, file)
    planned = invoke(place, "plan", "--batch", str(file), "--format", "json")
    said = json.loads(planned.output)["releases"]
    assert [each["kept"] for each in said] == [True] * 4 + [False] * 8
    assert "'r5'" in said[4]["refused"]
    again = invoke(place, "run", str(file))
    assert again.exit_code == 1
    assert "release 5, request_id 'r5': the release of request_id 'r5'" in again.output
    with open_store(place) as store:
        assert store.budget("star")["epsilon_spent"] == pytest.approx(0.25)
    file.write_text(file.read_text().replace('"r5"', '"r5 again"'))
    assert invoke(place, "run", str(file)).exit_code == 0
    with open_store(place) as store:
        assert store.budget("star")["epsilon_spent"] == pytest.approx(0.65)


@pytest.mark.wide
def test_a_file_is_planned_and_run_through_a_gateway_and_goes_on_after_a_kill(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between two releases, the same file goes on; what is refused stops it, and nothing is paid twice."""
    from gateway_server import serve

    with open_store(place) as store:
        token = store.add_analyst("ann")["token"]
        store.grant("star", "ann", epsilon_budget="0.75")
    file = tmp_path / "asked.jsonl"
    lines = [TOP | {"epsilon": "0.3", "request_id": f"r{number}"} for number in range(3)]
    file.write_text("".join(json.dumps(each) + "\n" for each in lines))
    with serve(place, tmp_path) as served:
        monkeypatch.setenv("EDGEDP_TOKEN", token)
        at = ["--store", served.address]
        planned = CliRunner().invoke(command_line, [*at, "plan", "--batch", str(file), "--format", "json"])
        assert planned.exit_code == 0, planned.output
        assert verdicts(json.loads(planned.stdout)) == [True, True, False]
        first = tmp_path / "first.jsonl"
        first.write_text(json.dumps(lines[0]) + "\n")
        words = [*at, "run", str(first), "--format", "json"]
        child = Forked("from edgedp.faces.cli import main; main()", *words)
        kept = json.loads(child.stdout.readline())
        child.send_signal(signal.SIGKILL)
        child.communicate(timeout=60)
        done = CliRunner().invoke(command_line, [*at, "run", str(file), "--format", "json"])
        assert done.exit_code == 1
        assert "release 3, request_id 'r2'" in done.output
        shown = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        assert [each["kept"] for each in shown] == [True, False]
        assert shown[0]["release_id"] == kept["release_id"]
    with open_store(place) as store:
        assert store.share("star", "ann")["epsilon_spent"] == pytest.approx(0.6)
        assert store.check() == []
