"""DP-MOTkIN as its users meet it: laws over all small graphs, options that meet at the edges, the kept profile."""

from __future__ import annotations

import re
import shlex
from fractions import Fraction
from functools import cache, partial
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

import edgedp
import small_graphs
from edgedp import Graph
from edgedp.exact import first_pick_probabilities, motkin_first_pick_probabilities
from edgedp.faces.cli import edgedp as command_line
from edgedp.mechanisms.grid import GridScores, grid_bits, noise_unit
from edgedp.mechanisms.metrics import metric_names
from edgedp.mechanisms.metrics.degree import Degree
from edgedp.mechanisms.metrics.density import Density
from edgedp.mechanisms.pareto import rounds as rounds_module
from edgedp.mechanisms.pareto.profile import ParetoProfile, pareto_profile
from edgedp.mechanisms.pareto.rounds import ParetoRounds
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.samplers import Sampler
from edgedp.mechanisms.samplers import sampler as sampler_by_name
from edgedp.mechanisms.sampling.words import Words
from edgedp.mechanisms.scores.sums import top_k_scores
from edgedp.release.plan import ParetoPlan, PublicFacts, plan
from edgedp.words.vocabulary import PICKING, SAMPLERS
from looped import as_one
from sampling_doubles import assert_has_law

KITE = Graph.from_edges([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (3, 4), (4, 5)])

LOCAL = ({"mechanism": "sld", "shift": "up"}, {"mechanism": "sld", "shift": "down"}, {"mechanism": "ld"})
GLOBAL = tuple({"mechanism": sampler_by_name(name).mechanism} for name in SAMPLERS)
VARIANTS: list[dict[str, Any]] = [
    {"approach": approach, "sensitivity": sensitivity, **mechanism, **sampler}
    for approach in ("pareto", "aggregate")
    for sensitivity, mechanisms in (("local", LOCAL), ("global", GLOBAL))
    for mechanism in mechanisms
    for sampler in (({}, *({"sampler": name} for name in SAMPLERS[1:])) if sensitivity == "local" else ({},))
]
LISTS = (("degree", "density"), ("degree", "ebc"), ("density", "betweenness2"), ("degree", "density", "ebc"))


def named(options: dict[str, Any]) -> str:
    return " ".join(str(value) for value in options.values())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Profiles are kept in a folder of the test, never in the user's cache."""
    monkeypatch.setattr(rounds_module, "profile_folder", lambda: tmp_path / "profiles")
    return tmp_path / "profiles"


@pytest.fixture
def keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of graphs of a few nodes need no files."""
    monkeypatch.setattr(rounds_module, "kept_or_measured", lambda folder, key, measure: measure())


# -- the law of the first pick ---------------------------------------------------------------------------


def largest_loss(n: int, names: tuple[str, ...], k: int, epsilon: float, **options: Any) -> float:
    """Return the largest |ln p - ln q| of the first pick over all neighbours with n nodes.

    Relabelling a graph relabels its law, so five nodes need one graph of each kind as one of the two.
    """

    @cache
    def law(mask: int) -> NDArray[np.float64]:
        graph = small_graphs.all_graphs(n)[mask]
        return np.log(
            motkin_first_pick_probabilities(graph, names, k, epsilon, degree_bound=n - 1, **options)
        )

    ones = small_graphs.class_representatives(n) if n > 4 else small_graphs.masks(n)
    return max(
        float(np.abs(law(one) - law(two)).max()) for one in ones for two in small_graphs.neighbors(one, n)
    )


@pytest.mark.usefixtures("keeps_nothing")
@pytest.mark.parametrize("names", LISTS, ids="+".join)
@pytest.mark.parametrize("options", VARIANTS, ids=named)
def test_the_first_pick_loses_at_most_epsilon_over_k(options: dict[str, Any], names: tuple[str, ...]) -> None:
    """Every pick of k = 2 has half of epsilon; all labelled graphs of up to four nodes."""
    for n in (2, 3, 4):
        assert largest_loss(n, names, k=2, epsilon=4, **options) <= 2 * (1 + 1e-9)
    assert largest_loss(4, names, k=2, epsilon=4, **options) > 0.1


@pytest.mark.usefixtures("keeps_nothing")
@pytest.mark.parametrize("options", VARIANTS, ids=named)
def test_the_first_pick_loses_at_most_epsilon_over_k_on_five_nodes(options: dict[str, Any]) -> None:
    assert largest_loss(5, ("degree", "density"), k=1, epsilon=3, **options) <= 3 * (1 + 1e-9)


@pytest.mark.usefixtures("keeps_nothing")
@pytest.mark.parametrize("weights", [(1, -3), (-1, -1), (0, 2), (1, 0), (0.1, 1e6)])
@pytest.mark.parametrize("options", [each for each in VARIANTS if each["approach"] == "aggregate"], ids=named)
def test_any_weights_lose_at_most_epsilon(options: dict[str, Any], weights: tuple[float, float]) -> None:
    for names in (("degree", "density"), ("density", "ebc")):
        assert largest_loss(4, names, k=1, epsilon=5, weights=weights, **options) <= 5 * (1 + 1e-9)


# -- what a smaller sensitivity would do -----------------------------------------------------------------


def largest_move(**options: Any) -> float:
    """Return how far one edge moves a score of round 1, in units of what its noise allows for: 1 is the limit.

    All neighbours with five nodes, (degree, density).
    """
    planned = plan(
        "motkin", {"metrics": ("degree", "density"), "k": 1, "epsilon": 2, **options}, PublicFacts(5, 4)
    )

    @cache
    def scores(mask: int) -> NDArray[np.float64]:
        projection = GraphProjection(small_graphs.all_graphs(5)[mask])
        if isinstance(planned, ParetoPlan):
            found = rounds_module.first_round(planned, projection)
        else:
            found = top_k_scores(planned, projection)
        return np.asarray(found.exact() * float(found.unit), dtype=np.float64)

    return max(
        float(np.abs(scores(one) - scores(two)).max())
        for one in small_graphs.class_representatives(5)
        for two in small_graphs.neighbors(one, 5)
    )


def halve(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Halve the sensitivity that a variant rests on, wherever it comes from."""
    if options["approach"] == "aggregate":
        for each in (Degree, Density):
            whole = each.global_sensitivity
            monkeypatch.setattr(
                each, "global_sensitivity", lambda self, bound, whole=whole: whole(self, bound) / 2
            )
        return
    whole_profile, whole_scores = rounds_module.pareto_profile, ParetoRounds.scores

    def half_profile(*given: Any, **named: Any) -> ParetoProfile:
        profile = whole_profile(*given, **named)
        return ParetoProfile(profile.ceiling, profile.offsets, profile.deltas // 2)

    def half_scores(self: ParetoRounds, scores: NDArray[np.int64], left: int) -> GridScores:
        return whole_scores(self, scores, (left + 1) // 2)  # half of |R| - 1

    monkeypatch.setattr(rounds_module, "pareto_profile", half_profile)
    monkeypatch.setattr(ParetoRounds, "scores", half_scores)


@pytest.mark.usefixtures("keeps_nothing")
@pytest.mark.parametrize("options", VARIANTS, ids=named)
def test_scores_move_as_far_as_their_noise_allows_for_and_half_of_it_is_caught(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is reached by some pair, so that any smaller sensitivity breaks the claim."""
    assert largest_move(**options) == pytest.approx(1, rel=1e-9)
    halve(options, monkeypatch)
    assert largest_move(**options) > 1.2


@pytest.mark.usefixtures("keeps_nothing")
@pytest.mark.parametrize(
    "options",
    [
        {"approach": "pareto", "shift": "down"},
        {"approach": "aggregate", "weights": (1, 0), "sensitivity": "global", "mechanism": "em"},
        {"approach": "aggregate", "weights": (1, 0), "sensitivity": "global", "mechanism": "pf"},
        {"approach": "aggregate", "weights": (1, -3)},
        {"approach": "aggregate", "weights": (1, -3), "sampler": "permute_and_flip"},
    ],
    ids=named,
)
def test_half_a_sensitivity_is_seen_in_the_law(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Laws lose little more than half of the claim on graphs so small: only these leave no room."""
    names = ("degree", "density")
    assert largest_loss(5, names, k=1, epsilon=20, **options) <= 20 * (1 + 1e-9)
    halve(options, monkeypatch)
    assert largest_loss(5, names, k=1, epsilon=20, **options) > 20 * 1.1


# -- laws from their definitions -------------------------------------------------------------------------


def utilities_of(names: tuple[str, ...], n: int, mask: int) -> NDArray[np.float64]:
    return np.column_stack(
        [getattr(small_graphs, {"degree": "degrees"}.get(name, name))(n)[mask] for name in names]
    )


def plain_pareto_score(utilities: NDArray[np.float64]) -> NDArray[np.int64]:
    """The definition: one comparison for each pair."""
    above = np.all(utilities[:, None, :] < utilities[None, :, :] - 1e-9, axis=2)
    return -above.sum(axis=1)


def softmax(exponents: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.exp(exponents - exponents.max())
    return np.asarray(weights / weights.sum())


@pytest.mark.parametrize("names", [*LISTS, ("ebc", "betweenness2"), tuple(metric_names())], ids="+".join)
def test_the_global_pareto_law_is_its_definition(names: tuple[str, ...]) -> None:
    """The total is 3 for k = 3, so the first pick runs at 1 and ``GS = |R| - 1``."""
    for mask in small_graphs.masks(4):
        law = motkin_first_pick_probabilities(
            small_graphs.all_graphs(4)[mask], names, k=3, epsilon=3, sensitivity="global"
        )
        expected = softmax(plain_pareto_score(utilities_of(names, 4, mask)) / (2 * 3))
        assert law == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("weights", [(1, 1, 1), (2, -1, 0.25), (-1, -1, -1), (0, 1, 0)])
def test_the_global_aggregate_law_is_its_definition(weights: tuple[float, ...]) -> None:
    names = ("degree", "density", "ebc")
    largest = (1, 1, 3)  # global sensitivities under a bound of 3
    sensitivity = sum(abs(weight) * each for weight, each in zip(weights, largest, strict=True))
    for mask in small_graphs.masks(4):
        law = motkin_first_pick_probabilities(
            small_graphs.all_graphs(4)[mask], names, k=2, epsilon=6,
            approach="aggregate", sensitivity="global", weights=weights,
        )  # fmt: skip
        expected = softmax(3 * utilities_of(names, 4, mask) @ weights / (2 * sensitivity))
        assert law == pytest.approx(expected, rel=1e-7)


@as_one
@pytest.mark.parametrize("mechanism", PICKING)
@pytest.mark.parametrize(("metric", "weights"), [("degree", (1, 0)), ("density", (0, 4))])
def test_a_sum_of_which_one_metric_is_left_is_priv_top_k(
    mechanism: str, metric: str, weights: tuple[float, float]
) -> None:
    sensitivity = "local" if mechanism in ("ld", "sld") else "global"
    law = motkin_first_pick_probabilities(
        KITE,
        k=2,
        epsilon=3,
        approach="aggregate",
        sensitivity=sensitivity,
        mechanism=mechanism,
        weights=weights,
    )
    assert law == pytest.approx(first_pick_probabilities(KITE, metric, 2, 3, mechanism), rel=1e-9)


@as_one
@pytest.mark.parametrize("options", VARIANTS, ids=named)
def test_neither_order_nor_common_scale_matters(options: dict[str, Any]) -> None:
    names = ("degree", "density", "ebc")
    law = motkin_first_pick_probabilities(KITE, names, k=2, epsilon=3, **options)
    assert law.sum() == pytest.approx(1)
    for order in permutations(names):
        assert motkin_first_pick_probabilities(KITE, order, k=2, epsilon=3, **options) == pytest.approx(
            law, rel=1e-7
        )
    if options["approach"] == "aggregate":
        scaled = motkin_first_pick_probabilities(KITE, names, k=2, epsilon=3, weights=(7, 7, 7), **options)
        assert scaled == pytest.approx(law, rel=1e-7)


def test_permute_and_flip_is_its_own_law_and_better() -> None:
    score = plain_pareto_score(np.column_stack([edgedp.exact.degree(KITE), edgedp.exact.density(KITE)]))
    law = partial(motkin_first_pick_probabilities, KITE, k=1, epsilon=8, sensitivity="global")
    assert law(mechanism="pf").tolist() == law(mechanism="em", sampler="permute_and_flip").tolist()
    assert law(mechanism="pf") @ score > law(mechanism="em") @ score


# -- rounds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", LISTS, ids="+".join)
def test_every_round_scores_those_who_are_left(
    names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What each pick of a real release is drawn from: ``PS`` and ``GS = |R| - 1`` among the candidates left."""
    pick, seen = Sampler.pick, []

    def spy(
        self: Sampler, scores: NDArray[np.int64], left: NDArray[np.int64], unit: Fraction, words: Words
    ) -> int:
        seen.append((scores[left].tolist(), left.copy(), unit))
        return pick(self, scores, left, unit, words)

    monkeypatch.setattr(Sampler, "pick", spy)
    utilities = np.column_stack([getattr(edgedp.exact, name)(KITE) for name in names])
    for seed in range(20):
        seen.clear()
        release = edgedp.motkin(
            KITE, names, k=6, epsilon=6, sensitivity="global", rng=np.random.default_rng(seed)
        )
        assert len(seen) == 6
        for place, (scores, left, unit) in enumerate(seen):
            assert left.tolist() == sorted(set(range(6)) - set(release.nodes[:place]))
            if len(left) > 1:
                assert scores == plain_pareto_score(utilities[left]).tolist()
                assert unit == Fraction(1, 2 * (len(left) - 1))


def test_two_rounds_have_the_law_of_their_definition() -> None:
    """Chi-square of real releases against ``softmax(PS / 2 GS)`` twice; false alarms: `sampling_doubles`."""
    utilities = np.column_stack([edgedp.exact.degree(KITE), edgedp.exact.density(KITE)])
    law = {}
    for first, chance in enumerate(softmax(4 * plain_pareto_score(utilities) / (2 * 5))):
        left = np.delete(np.arange(6), first)
        for second, then in zip(
            left, softmax(4 * plain_pareto_score(utilities[left]) / (2 * 4)), strict=True
        ):
            law[first, int(second)] = float(chance * then)
    generator = np.random.default_rng(8)
    options = {"k": 2, "epsilon": 8, "sensitivity": "global", "rng": generator}
    assert_has_law([tuple(edgedp.motkin(KITE, **options).nodes) for _ in range(3000)], law)


# -- where options meet their ends -----------------------------------------------------------------------


@as_one
@pytest.mark.parametrize("names", LISTS, ids="+".join)
@pytest.mark.parametrize("options", VARIANTS, ids=named)
def test_k_of_all_returns_everybody_once(options: dict[str, Any], names: tuple[str, ...]) -> None:
    release = edgedp.motkin(KITE, names, k=6, epsilon=1, rng=np.random.default_rng(1), **options)
    assert sorted(release.nodes) == [0, 1, 2, 3, 4, 5]


@as_one
@pytest.mark.parametrize("options", VARIANTS, ids=named)
def test_one_candidate_is_a_sure_pick(options: dict[str, Any]) -> None:
    alone = Graph.from_edges([], nodes=["only"])
    assert edgedp.motkin(alone, k=1, epsilon=1, **options).nodes == ["only"]
    assert motkin_first_pick_probabilities(alone, k=1, epsilon=1, **options).tolist() == [1.0]


@as_one
@pytest.mark.parametrize("options", VARIANTS, ids=named)
def test_where_nothing_can_move_all_are_drawn_alike(options: dict[str, Any]) -> None:
    """A bound of 0 promises no edges: every metric leaves."""
    law = motkin_first_pick_probabilities(
        Graph.from_edges([], nodes=range(4)), k=2, epsilon=9, degree_bound=0, **options
    )
    assert law == pytest.approx(np.full(4, 0.25))


MATCHING = Graph.from_edges([(0, 1), (2, 3)], nodes=range(5))


def test_a_metric_that_no_edge_can_move_leaves_a_pareto_list() -> None:
    """Under a bound of 1 the density is 0 for everybody; were it still in, nobody would dominate anybody."""
    law = motkin_first_pick_probabilities(MATCHING, k=1, epsilon=8, sensitivity="global", degree_bound=1)
    assert law == pytest.approx(softmax(8 / (2 * 4) * np.array([0, 0, 0, 0, -4])), rel=1e-9)
    kept = motkin_first_pick_probabilities(MATCHING, k=1, epsilon=8, sensitivity="global", degree_bound=2)
    assert kept == pytest.approx(np.full(5, 0.2))


@as_one
@pytest.mark.parametrize("options", VARIANTS, ids=named)
def test_releases_under_a_bound_of_one_end(options: dict[str, Any]) -> None:
    """Boxes that never grow must not keep the profile's loop alive."""
    for names in LISTS:
        release = edgedp.motkin(MATCHING, names, k=5, epsilon=1, degree_bound=1, **options)
        assert sorted(release.nodes) == [0, 1, 2, 3, 4]


def test_negative_weights_turn_the_order_round() -> None:
    star = Graph.from_edges([(0, leaf) for leaf in range(1, 9)])
    options = {"k": 1, "epsilon": 400, "approach": "aggregate"}
    for sensitivity in ("local", "global"):
        best = motkin_first_pick_probabilities(star, **options, sensitivity=sensitivity, weights=(1, 1))
        worst = motkin_first_pick_probabilities(star, **options, sensitivity=sensitivity, weights=(-1, -1))
        assert best[0] > 0.99
        assert worst[0] < 1e-6


# -- the kept profile ------------------------------------------------------------------------------------


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry a profile that was computed and not found."""
    calls: list[int] = []

    def spy(*given: Any, **named: Any) -> ParetoProfile:
        calls.append(1)
        return pareto_profile(*given, **named)

    monkeypatch.setattr(rounds_module, "pareto_profile", spy)
    return calls


def test_a_profile_is_computed_once_and_not_for_a_graph_that_differs_by_one_edge(
    computed: list[int], folder: Path
) -> None:
    more = Graph.from_edges([*KITE.edges().tolist(), (2, 5)])
    first = edgedp.motkin(KITE, k=3, epsilon=5, rng=np.random.default_rng(3))
    again = edgedp.motkin(KITE, k=3, epsilon=5, rng=np.random.default_rng(3))
    assert len(computed) == 1
    assert first.nodes == again.nodes  # a kept profile draws what a computed one does
    edgedp.motkin(more, k=3, epsilon=5)
    assert len(computed) == 2
    edgedp.motkin(KITE, k=3, epsilon=5)
    edgedp.motkin(more, k=3, epsilon=5)
    assert len(computed) == 2
    assert len(list(folder.glob("*.profile"))) == 2


def test_a_release_that_finds_what_was_measured_measures_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Utilities, scores and profile are those of the first release: for the same words the same answer."""
    drawn = [edgedp.motkin(KITE, k=4, epsilon=5, rng=np.random.default_rng(seed)).nodes for seed in range(9)]

    def never(*given: Any) -> Any:
        raise AssertionError("read although it was kept")

    monkeypatch.setattr(GraphProjection, "values", never)
    monkeypatch.setattr(rounds_module, "pareto_score", never)
    again = [edgedp.motkin(KITE, k=4, epsilon=5, rng=np.random.default_rng(seed)).nodes for seed in range(9)]
    assert again == drawn
    with pytest.raises(AssertionError, match="although it was kept"):
        edgedp.motkin(KITE, k=4, epsilon=5, sensitivity="global")


def test_each_engine_keeps_what_it_measured(computed: list[int], folder: Path) -> None:
    """Two engines may differ in the last bit, and an answer must not depend on who asked before."""
    planned = plan("motkin", {"metrics": ["degree", "density"], "k": 2, "epsilon": 1}, PublicFacts(6, 4))
    assert isinstance(planned, ParetoPlan)
    for engine in ("native", "igraph", "native", "igraph"):
        ParetoRounds.of(planned, GraphProjection(KITE, engine))
    engines = {GraphProjection(KITE, engine).engine for engine in ("native", "igraph")}
    assert len(computed) == len(engines) == len(list(folder.glob("*.profile")))


def test_only_what_a_profile_depends_on_computes_another(computed: list[int]) -> None:
    edgedp.motkin(KITE, k=3, epsilon=5)
    options: dict[str, Any]
    for options in (
        {"epsilon": 1},
        {"k": 1},
        {"mechanism": "ld"},
        {"shift": "up"},
        {"sampler": "permute_and_flip"},
    ):
        edgedp.motkin(KITE, **{"k": 3, "epsilon": 5, **options})
    assert len(computed) == 1
    for options in (
        {"degree_bound": 4},
        {"sensitivity_form": "interval+edge"},
        {"metrics": ("degree", "ebc")},
    ):
        edgedp.motkin(KITE, k=3, epsilon=5, **options)
    assert len(computed) == 4


def test_global_releases_and_sums_need_no_profile(computed: list[int], folder: Path) -> None:
    edgedp.motkin(KITE, k=3, epsilon=5, sensitivity="global")
    edgedp.motkin(KITE, k=3, epsilon=5, approach="aggregate")
    assert not computed
    assert not folder.exists()


# -- the page --------------------------------------------------------------------------------------------


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EDGEDP_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).resolve().parents[2] / "docs" / "multi-objective.md"
    names: dict[str, Any] = {}
    ran = 0
    for language, block in re.findall(
        r"^```(python|console)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        if language == "python":
            exec(compile(block, page.name, "exec"), names)  # noqa: S102
        else:
            for command in re.findall(r"^\$ edgedp (.*)$", block.replace("\\\n", " "), re.MULTILINE):
                result = CliRunner().invoke(command_line, shlex.split(command))
                assert result.exit_code == 0, result.output
                asked = re.search(r"^asked:.*$", block, re.MULTILINE)
                assert "-k 10" not in command or (asked and asked[0] in result.output)
        ran += 1
    assert ran == 3


@pytest.mark.parametrize("form", ["interval", "interval+edge"])
def test_a_profile_is_measured_with_what_its_form_says(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The most common neighbours of any two nodes, where they count, and a public number of steps."""
    graph = Graph.from_edges([(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (4, 5)])
    asked: dict[str, Any] = {"metrics": ("degree", "density"), "k": 3, "epsilon": 2, "mechanism": "ld"}
    planned: Any = plan("motkin", asked | {"sensitivity_form": form}, PublicFacts(6, 5, nodes_supplied=True))
    seen: list[dict[str, Any]] = []
    real = rounds_module.pareto_profile

    def measured(*given: Any, **named: Any) -> Any:
        seen.append(named)
        return real(*given, **named)

    monkeypatch.setattr(rounds_module, "pareto_profile", measured)
    monkeypatch.setattr(GraphProjection, "fingerprint", lambda self: None)  # nothing is kept between tests
    first = rounds_module.first_round(planned, GraphProjection(graph))
    (named,) = seen
    assert named["limit"] == 5 + 3
    assert named["common_neighbors"] == (3 if form == "interval+edge" else None)
    assert first.unit == noise_unit(Fraction(2, 3), grid_bits(6 + 5 + 4), monotone=False)
