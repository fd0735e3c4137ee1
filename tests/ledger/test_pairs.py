"""Which relationships make an edge: what lies between two nodes moves one edge, and nothing else does."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

import looped
from edgedp import Graph, ParameterError, StoreError
from edgedp.ledger import placing
from edgedp.ledger.pairs import ORIENTATIONS, PairProjection, projection_of
from edgedp.ledger.placing import registered_row
from edgedp.ledger.rows import GraphRow
from edgedp.ledger.sources import resolved
from edgedp.mechanisms.adaptive.arcs import arc_moves
from edgedp.mechanisms.projection import CandidateProjection, GraphProjection
from edgedp.mechanisms.sampling.words import GeneratorWords
from edgedp.release.conditions import conditions, texts_of, where_of, written_conditions
from edgedp.release.draw import draw_positions
from edgedp.release.plan import ArcsPlan, PublicFacts, of_nodes, plan
from edgedp.stores.neo4j.packed import graph_of_rows
from edgedp.words.vocabulary import COUNTED, CountedName

Arc = tuple[int, int]


def made_of(orientation: str, at_least: int) -> PairProjection:
    return projection_of("N", "R", orientation, at_least=at_least)


EVERY = [made_of(orientation, m) for orientation in ORIENTATIONS for m in (1, 2, 3)]


def read(relationships: list[Arc], projection: PairProjection, nodes: int) -> set[Arc]:
    """Return the edges, ascending, or the arcs that the package reads."""
    ends = np.array(relationships, dtype=np.int32).reshape(-1, 2)
    graph, order = graph_of_rows(np.arange(nodes), ends[:, 0], ends[:, 1], projection=projection)
    assert order.tolist() == list(range(nodes))
    assert graph.directed == projection.directed
    found = graph.arcs() if graph.directed else graph.edges()
    return {(int(a), int(b)) for a, b in found}


def expected(relationships: list[Arc], projection: PairProjection) -> set[Arc]:
    """Return the same by the definition, one pair after the other."""
    arcs = Counter((a, b) for a, b in relationships if a != b)
    pairs = {(min(a, b), max(a, b)) for a, b in arcs}
    m = projection.at_least
    match projection.orientation:
        case "NATURAL":
            return {arc for arc, times in arcs.items() if times >= m}
        case "REVERSE":
            return {(b, a) for (a, b), times in arcs.items() if times >= m}
        case "MUTUAL":
            pairs = {(a, b) for a, b in pairs if arcs[a, b] and arcs[b, a]}
            return {(a, b) for a, b in pairs if arcs[a, b] + arcs[b, a] >= m}
        case _:
            return {(a, b) for a, b in pairs if arcs[a, b] + arcs[b, a] >= m}


SLOTS = [list(slot) for r in range(4) for slot in itertools.product([(0, 1), (1, 0)], repeat=r)]
"""What may lie between two nodes: up to three relationships, either way, in any order."""


def slot(pair: Arc, content: list[Arc]) -> list[Arc]:
    return [(pair[a], pair[b]) for a, b in content]


@pytest.mark.parametrize("projection", EVERY, ids=str)
def test_a_pair_moves_its_own_edge_and_no_other(projection: PairProjection) -> None:
    """Lemma 1 by the package's reader: all contents of one slot, over every kind of two others and a loop."""
    others = [SLOTS[0], SLOTS[1], SLOTS[3], SLOTS[6], SLOTS[14]]
    for first, second in itertools.product(others, repeat=2):
        rest = [(2, 2), (0, 0), *slot((1, 2), first), *slot((0, 2), second)]
        seen = [read([*rest, *slot((0, 1), content)], projection, 3) for content in SLOTS]
        between = {frozenset(edges - {(0, 1), (1, 0)}) for edges in seen}
        assert len(between) == 1, "what lies between two nodes moved an edge elsewhere"


def test_the_reader_is_the_definition_on_random_databases() -> None:
    lot = random.Random(31)
    for _ in range(120):
        nodes = lot.randint(1, 9)
        relationships = [(lot.randrange(nodes), lot.randrange(nodes)) for _ in range(lot.randint(0, 60))]
        for projection in EVERY:
            assert read(relationships, projection, nodes) == expected(relationships, projection)


def test_many_nodes_do_not_overflow() -> None:
    nodes = 100_000
    far = [(nodes - 1, nodes - 2), (nodes - 2, nodes - 1), (0, nodes - 1)]
    assert read(far, made_of("MUTUAL", 2), nodes) == {(nodes - 2, nodes - 1)}
    assert read(far, made_of("REVERSE", 1), nodes) == {(b, a) for a, b in far}


def test_a_plain_projection_is_the_graph_of_before() -> None:
    plain = projection_of(["N"], ["R"])
    assert plain.plain
    assert plain.to_json() is None
    row = registered_row("g", plain, "id", None)
    assert (row.node_label, row.relationship_type, row.made_of) == ("N", "R", None)
    assert "projection" not in row.terms()
    assert "projection" not in row.facts.to_dict()


def test_what_is_written_is_read_again() -> None:
    made = projection_of(
        ["Shop", "Person"], ("PAID", "CALLED"), "Mutual", {"amount": {"gte": 1.5, "lt": 9}, "kind": "x"}, 2
    )
    text = made.to_json()
    assert text is not None
    assert PairProjection.of_json(text) == made
    row = registered_row("g", made, "id", 7)
    assert (row.labels, row.types) == (("Person", "Shop"), ("CALLED", "PAID"))
    assert row.projection == made
    assert row.facts.to_dict()["projection"] == {
        "node_labels": ["Person", "Shop"],
        "relationship_types": ["CALLED", "PAID"],
        "orientation": "MUTUAL",
        "where": {"amount": {"gte": 1.5, "lt": 9}, "kind": {"eq": "x"}},
        "at_least": 2,
    }


@looped.as_one
@pytest.mark.parametrize(
    "kept",
    [
        "", "[]", "{}", "null", '{"node_labels": ["N"]}', '{"node_labels": "N", "relationship_types": "R", "x": 1}',
        '{"node_labels": ["N"], "relationship_types": ["OTHER"]}',
        '{"node_labels": ["M", "N"], "relationship_types": ["R"]}',
        '{"node_labels": ["N"], "relationship_types": ["R"], "orientation": "any"}',
        '{"node_labels": ["N"], "relationship_types": ["R"], "at_least": 0}',
        '{"node_labels": ["N"], "relationship_types": ["R"], "where": {"x": {"like": 1}}}',
        '{"node_labels": ["N"], "relationship_types": ["R"], "where": {"x": {"eq": NaN}}}',
    ],
)  # fmt: skip
def test_an_edited_projection_is_refused_wherever_it_is_read(kept: str) -> None:
    row = GraphRow("g", 1, "N", "R", "id", 3, None, nodes_supplied=True, loaded=False, made_of=kept)
    for ask in (lambda: row.identifiers, lambda: row.facts, lambda: row.directed, lambda: row.types):
        with pytest.raises(StoreError, match="somebody edited it; nothing was spent"):
            ask()


@looped.as_one
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"labels": "A|B"}, r"node_label is 'A\|B', must not hold '\|'; give a list, \['A', 'B'\]"),
        ({"labels": "*"}, "node_label is '\\*', must name what is meant"),
        ({"types": []}, r"relationship_type is \[\], must be a text, or a list of texts; give one or more"),
        ({"types": [7]}, "relationship_type is 7, must be a non-empty text"),
        ({"types": {"R": "S"}}, "relationship_type is {'R': 'S'}, must be a text, or a list of texts"),
        ({"types": ["R"] * 101}, "relationship_type holds 101 names, must hold at most 100; give fewer"),
        ({"orientation": "natrual"}, "orientation is 'natrual', must be one of undirected, mutual, natural, reverse"),
        ({"orientation": None}, "orientation is None, must be one of"),
        ({"at_least": 0}, "at_least is 0, must be an integer of 1 or more; choose another"),
        ({"at_least": True}, "at_least is True, must be an integer of 1 or more"),
        ({"at_least": 2.0}, "at_least is 2.0, must be an integer of 1 or more"),
        ({"at_least": 2**31}, "must be an integer of 1 or more"),
        ({"where": "seconds>=60"}, "where is not a map; write one of properties"),
        ({"where": {"": 1}}, "a property of where is '', must be a non-empty text"),
        ({"where": {"s": {}}}, "where.s holds no comparison; write one, such as {gte: 60}"),
        ({"where": {"s": {"=>": 1}}}, "where.s compares by '=>', must be one of eq, in, gte, gt, lte, lt"),
        ({"where": {"s": {"in": 1}}}, "where.s.in must be a list of 1 to 100 values; give one"),
        ({"where": {"s": {"in": []}}}, "where.s.in must be a list of 1 to 100 values"),
        ({"where": {"s": {"in": [[1]]}}}, r"where.s holds \[1\], must be a text, true, false, a finite number"),
        ({"where": {"s": {"gt": True}}}, "where.s.gt is True, which has no order; compare by eq"),
        ({"where": {"s": {"lt": np.bool_(0)}}}, "where.s.lt is False, which has no order; compare by eq"),
        ({"where": {"s": np.float64("inf")}}, "where.s holds inf, must be a text"),
        ({"where": {"s": np.uint64(2**63)}}, "where.s holds 9223372036854775808, must be a text"),
        ({"where": {"s": np.array([1, 2])}}, r"where.s holds array\(\[1, 2\]\), must be a text"),
        ({"where": {"s": None}}, "where.s holds None, must be a text"),
        ({"where": {"s": float("nan")}}, "where.s holds nan, must be a text"),
        ({"where": {"s": 2**63}}, "where.s holds 9223372036854775808, must be a text"),
        ({"where": {"s": "\ud800"}}, "where.s is .*, must be a non-empty text"),
        ({"where": {f"p{i}": i for i in range(101)}}, "where holds 101 comparisons, must hold at most 100"),
    ],
)  # fmt: skip
def test_what_is_no_projection_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        projection_of(**{"labels": "N", "types": "R"} | asked)


def test_conditions_of_the_command_line() -> None:
    assert written_conditions(["a>=1", "a<2.5", "b=true", 'c="true"', "d in 1, x", "e>-3", "f=1_0"]) == {
        "a": {"gte": 1, "lt": 2.5}, "b": {"eq": True}, "c": {"eq": "true"}, "d": {"in": [1, "x"]},
        "e": {"gt": -3}, "f": {"eq": "1_0"},
    }  # fmt: skip
    assert conditions(written_conditions(["b in true,false"]))[0].value == [True, False]
    quoted = ['c in "New York, NY","Bern" ,5', 'd="a>=1"', 'e="5""', 'f="call, text"']
    assert written_conditions(quoted) == {
        "c": {"in": ["New York, NY", "Bern", 5]}, "d": {"eq": "a>=1"}, "e": {"eq": '5"'}, "f": {"eq": "call, text"},
    }  # fmt: skip


@pytest.mark.parametrize("value", ["a, b", 'a", b', 'a "b", c', '"', ",", 'x"', "a=b", "7", "true", "é;"])
def test_a_list_is_written_as_it_is_read_or_not_at_all(value: str) -> None:
    where = {"kind": {"in": [value, "z"]}}
    if value.count('"') % 2:
        with pytest.raises(ParameterError, match="give a map"):  # never other conditions
            texts_of(where)
        return
    assert conditions(written_conditions(texts_of(where))) == conditions(where)


def test_moments_are_whole_microseconds_however_far_away() -> None:
    for text, at in (("9999-12-31T23:59:59.999999", 253402300799999999), ("0001-01-01", -62135596800000000)):
        (found,) = conditions({"at": {"date": text}})
        assert found.value.microseconds == at
        assert conditions(where_of([found])) == (found,)


def test_values_of_numpy_are_the_values_that_they_are() -> None:
    given = {"i": np.int8(3), "f": np.float32(0.5), "b": np.bool_(1), "t": np.str_("x"), "a": np.array(7)}
    found = conditions(given)
    plain = {"i": 3, "f": 0.5, "b": True, "t": "x", "a": 7}
    assert found == conditions(plain)
    for each in found:
        assert type(each.value) is type(plain[each.property])


@looped.as_one
@pytest.mark.parametrize(
    "text",
    [
        "", "a", ">=1", "a==1", "a>", "a=>1", " in x", "a in ", 'a="x', 'a=x"', 'a in "x,y', "a in x,,y",
        "a>=1000 and b<=5", "a>=1, b=2", "a in x,b=y", 'name="x', 'a in "x" or "y',
    ],
)  # fmt: skip
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        conditions(written_conditions([text]))


def test_one_comparison_is_not_given_twice() -> None:
    with pytest.raises(ParameterError, match="where compares 'a' twice in one way, at 'a>=2'; leave one out"):
        written_conditions(["a>=1", "a>=2"])


def _places(kind: str) -> dict[str, list[dict[str, Any]]]:
    """Return what a store holds where somebody has registered a graph of some types."""
    account = {
        "name": "other",
        "relationshipType": kind,
        "lost": False,
        "spent": 0,
        "budget": 0,
        "delta": None,
    }
    return {
        "account_list": [account], "account_places": [account],
        "graph_places": [{"name": "other", "relationshipType": kind, "loaded": False}], "log_names": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("held", "asked", "shared"),
    [
        ("R", "R", "R"), ("R", "R|S", "R"), ("R|S", "S", "S"), ("A|B|C", "C|D", "C"),
        ("R", "RS", None), ("R|S", "T|U", None), ("R S", "R", None),
    ],
)  # fmt: skip
def test_types_that_share_one_have_its_account(held: str, asked: str, shared: str | None) -> None:
    found = resolved("mine", asked.split("|"), _places(held), None)
    assert set(found.there) == (set() if shared is None else {"other"})
    assert set(found.fresh) == {kind for kind in asked.split("|") if kind not in held.split("|")}


def test_an_account_that_is_gone_or_for_other_types_is_not_begun_anew() -> None:
    loaded = {"name": "x", "relationshipType": "T", "loaded": True}
    held = _places("R")
    held["account_places"][0] = held["account_places"][0] | {"lost": True}
    with pytest.raises(StoreError, match="whose account was deleted or edited"):
        resolved("mine", ["R"], held, None)
    with pytest.raises(StoreError, match="accounts for the relationship type 'R'; choose another name"):
        resolved("other", ["S"], _places("R"), None)
    with pytest.raises(StoreError, match="must not be that of a loaded graph"):
        resolved("mine", ["T"], _places("R") | {"graph_places": [loaded]}, None)


def test_an_account_is_called_as_its_type_where_nobody_is_called_so() -> None:
    other = {"name": "S (type)", "relationshipType": "Q", "loaded": False}
    held = _places("R") | {"log_names": [{"name": "S"}], "graph_places": [other]}
    assert dict(resolved("mine", ["S", "T"], held, None).fresh) == {"S": "S (type 2)", "T": "T"}
    assert dict(resolved("mine", ["S"], held, None).fresh) == {"S": "mine"}
    odd = resolved("mine", ["x\tattributes", "-a/b", "mine"], held, None).fresh
    assert odd["mine"] == "mine (type)"
    assert all(name.startswith("type ") for kind, name in odd.items() if kind != "mine")


# -- candidates ---------------------------------------------------------------------------------------------


def counted(arcs: list[Arc], metric: CountedName, candidates: list[int], nodes: int) -> np.ndarray[Any, Any]:
    graph = Graph.from_edges(np.array(arcs, dtype=np.int64).reshape(-1, 2), nodes=range(nodes), directed=True)
    return CandidateProjection(graph, np.array(candidates)).values(metric).astype(int)


@pytest.mark.parametrize("metric", COUNTED)
def test_a_pair_moves_the_counts_of_candidates_by_one_in_all(metric: CountedName) -> None:
    """Lemma 2, exhaustive: every content of one pair, replaced by every other, over all rests of four nodes."""
    facts = PublicFacts(2, projection={"candidates": "C"}, directed=True)
    planned = plan("priv_top_k", {"metric": metric, "k": 2, "epsilon": 1}, facts)
    assert isinstance(planned, ArcsPlan)
    claimed, reached = arc_moves(planned), 0
    contents: list[list[Arc]] = [[], [(0, 1)], [(1, 0)], [(0, 1), (1, 0)]]
    pairs = list(itertools.combinations(range(4), 2))

    @cache
    def of(arcs: tuple[Arc, ...]) -> list[int]:
        return list(counted(list(arcs), metric, [0, 1], 4).tolist())

    for moved in pairs:
        for rest in itertools.product((0, 1, 3), repeat=5):
            others = [pair for pair in pairs if pair != moved]
            fixed = [
                arc for pair, which in zip(others, rest, strict=True) for arc in slot(pair, contents[which])
            ]
            seen = [of(tuple(sorted([*fixed, *slot(moved, content)]))) for content in contents]
            moves = max(
                sum(abs(x - y) for x, y in zip(a, b, strict=True)) for a, b in itertools.combinations(seen, 2)
            )
            assert moves <= claimed
            reached = max(reached, moves)
    assert reached == claimed == 1


def test_the_noisy_counts_of_candidates_have_the_law_of_half_the_noise() -> None:
    """The first place of two candidates that differ by 2, by geometric noise of scale 1 / epsilon on each count."""
    graph = Graph.from_edges([(5, 0), (6, 0), (5, 1), (6, 1), (7, 1), (8, 1)], nodes=range(9))
    facts = PublicFacts(2, projection={"candidates": "C"})
    planned = of_nodes(plan("priv_top_k", {"metric": "degree", "k": 1, "epsilon": 1}, facts))
    projection = CandidateProjection(graph, np.array([0, 1]))
    words = GeneratorWords(np.random.default_rng(7))
    runs = 4000
    first = sum(int(draw_positions(planned, projection, words)[0] == 1) for _ in range(runs)) / runs
    steps = np.arange(-60, 61)
    law = np.exp(-abs(steps)) * (1 - np.exp(-1)) / (1 + np.exp(-1))
    difference = np.convolve(law, law)  # of two noises, from -120 on
    wins = difference[:122].sum() + 0.5 * difference[122]  # below 2, and half of a tie
    assert abs(first - wins) < 4.5 * (wins * (1 - wins) / runs) ** 0.5


def test_what_counts_no_neighbors_is_refused_with_candidates() -> None:
    facts = PublicFacts(9, projection={"candidates": "C"}, directed=True)
    for kind, options in (
        ("priv_top_k", {"metric": "ebc", "k": 1}), ("priv_top_k", {"metric": "density", "k": 1}),
        ("count", {"of": "edges"}), ("summary", {}), ("distribution", {"of": "degree"}),
        ("motkin", {"metrics": ["degree", "ebc"], "k": 1}),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match="ranks the nodes labelled 'C' only"):
            plan(kind, {"epsilon": 1, **options}, facts)  # type: ignore[arg-type]
    for option in ({"proxy": "both"}, {"estimates": True}, {"target_recall": 0.9}, {"mechanism": "sld"}):
        with pytest.raises(ParameterError):
            plan("priv_top_k", {"metric": "degree", "k": 1, "epsilon": 1, **option}, facts)


def test_a_projection_that_is_not_of_the_candidates_is_refused() -> None:
    graph = Graph.from_edges([(1, 2), (2, 3)])
    planned = of_nodes(
        plan(
            "priv_top_k",
            {"metric": "degree", "k": 1, "epsilon": 1},
            PublicFacts(2, projection={"candidates": "C"}),
        )
    )
    with pytest.raises(StoreError, match="nodes"):
        draw_positions(planned, GraphProjection(graph), GeneratorWords(np.random.default_rng(1)))


@pytest.mark.parametrize("unit", ["source", "target"])
def test_arcs_that_are_turned_round_have_no_account_of_one_node(unit: str) -> None:
    """Beside a graph of the arcs as they are, in_degree of the other one would tell all that a source does."""
    from edgedp.ledger.events import Declaration

    for orientation in ("natural", "reverse"):
        row = registered_row("g", projection_of("N", "R", orientation), "id", None)
        declared = Declaration(protect=unit)  # type: ignore[arg-type]
        script = lambda: placing.register_script(row, None, declared, by="me", at="now", last=[])  # noqa: B023, E731
        if orientation == "natural":
            assert script().steps
        else:
            with pytest.raises(ParameterError, match="must be 'natural' where protect is"):
                script()
