"""Recall of the EBC top-k without a degree bound: the joint release beside version 2 and SLD PrivTopk, on ten graphs.

    python bench/joint.py recall [GRAPH ...] [K ...]   # recall against epsilon and k, by method and declared bound
    python bench/joint.py default [GRAPH ...] [K ...]  # the same of the default alone
    python bench/joint.py rule   [GRAPH ...] [K ...]   # whether the default is ever worse than a plainer choice
    python bench/joint.py forms  [GRAPH ...] [K ...]   # the adaptive release beside each of its forms by itself
    python bench/joint.py metric [GRAPH ...] [K ...]   # the top k by betweenness2 itself, by each proxy
    python bench/joint.py spec   [GRAPH ...] [K ...]   # beside the figures that the method was designed with
    python bench/joint.py several [GRAPH ...]  # DP-MOTkIN: Pareto and sums, joint beside SLD
    python bench/joint.py estimates            # how far the edges and wedges are off
    python bench/joint.py release              # processor time of a release beside version 2 and degrees alone
    python bench/joint.py time                 # the cut kernels beside betweenness2, and a release step by step

Every part prints tables in Markdown; `bench/results/joint.md` holds one run of each. A returned node whose
EBC equals the k-th largest counts as found. The n-th release of every cell draws from the same seed, whatever the
method, so that methods and versions are compared on the same draws; `release` and `time` draw from the system.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache, lru_cache, partial
from statistics import fmean

import networkx as nx
import numpy as np
from at_hand import here
from joint_version2 import draw_version2
from numpy.typing import NDArray

import edgedp
from edgedp.exact.experiments import generators
from edgedp.graph.engines import native
from edgedp.mechanisms.adaptive.choice import Lists, Ordered, ranking
from edgedp.mechanisms.adaptive.estimates import Estimate, estimates
from edgedp.mechanisms.adaptive.purchases import buy
from edgedp.mechanisms.adaptive.several import Several, draw_several
from edgedp.mechanisms.adaptive.top_k import Asked, draw_lists, draw_top_k, scores
from edgedp.mechanisms.adaptive.vectors import cut_vector, degree_vector, ordered_degree_vector
from edgedp.mechanisms.limits import limit_by_epsilon
from edgedp.mechanisms.pareto.score import pareto_score
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.sampling.select import top_k_with_random_ties
from edgedp.mechanisms.sampling.words import GeneratorWords, SecureWords, Words
from edgedp.release.draw import draw_positions
from edgedp.release.plan import PublicFacts, of_nodes, plan
from edgedp.words.vocabulary import Kind

RUNS = 24
EPSILONS = ("0.03", "0.1", "0.3", "1", "3")
PICKS = (1, 10, 20, 100)
GRAPHS: dict[str, Callable[[], edgedp.Graph]] = {
    "Enron": lambda: edgedp.read_graph("email-Enron"),
    **({"GitHub": lambda: edgedp.read_graph("musae-github")} if here("musae-github") else {}),
    "clusters": generators.overlapping_clusters,
    "power law": generators.power_law,
    "co-authorship": generators.affiliation,
    "preferential": lambda: of_networkx(nx.barabasi_albert_graph(3_000, 8, seed=1)),
    "power-law clusters": lambda: of_networkx(nx.powerlaw_cluster_graph(4_000, 6, 0.7, seed=1)),
    "blocks": lambda: of_networkx(blocks()),
    "random": lambda: of_networkx(nx.gnp_random_graph(1_000, 0.05, seed=1)),
    "dense core": lambda: of_networkx(dense_core()),
}
FAR_TOO_LARGE = 10
"""Times the largest degree."""

SEED = 29

Positions = NDArray[np.int64]
Draw = Callable[["Case", int, Fraction, Words], Positions]


def seeded(runs: int) -> Iterator[Words]:
    """Yield the words of so many releases: the same ones in every cell, for every method."""
    return (GeneratorWords(np.random.default_rng((SEED, run))) for run in range(runs))


def of_networkx(graph: nx.Graph) -> edgedp.Graph:
    return edgedp.Graph.from_networkx(graph)


def blocks() -> nx.Graph:
    """Return 40 groups of 50 that keep to themselves."""
    return nx.planted_partition_graph(40, 50, 0.3, 0.005, seed=1)


def dense_core() -> nx.Graph:
    """Return 150 nodes of which 70 % of the pairs are joined, in a sparse graph of 3,000."""
    core, rest = nx.gnp_random_graph(150, 0.7, seed=1), nx.fast_gnp_random_graph(3_000, 0.002, seed=2)
    return nx.compose(core, rest)


class Remembered(GraphProjection):
    """A projection that computes every exact value once, but for cuts in an order that follows the noise."""

    def __init__(self, graph: edgedp.Graph) -> None:
        super().__init__(graph)
        self.values = remembered_values(super().values)  # type: ignore[method-assign, assignment]
        self.betweenness2_shares = cache(super().betweenness2_shares)  # type: ignore[method-assign]
        self.lists_shares = lru_cache(maxsize=64)(self.compute_lists)

    def compute_lists(self, caps: bytes, bits: int) -> NDArray[np.int64]:
        """Return the shares of cuts of all neighbours; `caps` are the bytes of the array."""
        return super().cut_shares(np.frombuffer(caps, dtype=np.int64), None, bits)

    def cut_shares(
        self,
        caps: NDArray[np.int64],
        ranks: NDArray[np.int64] | None,
        bits: int,
        positions: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Return the shares of cuts."""
        if ranks is not None:
            return super().cut_shares(caps, ranks, bits, positions)
        everything = self.lists_shares(caps.tobytes(), bits)
        return everything if positions is None else everything[positions]


def remembered_values(
    compute: Callable[[str], NDArray[np.float64]],
) -> Callable[[str, Positions | None], NDArray[np.float64]]:
    """Return `compute` for all nodes, once for each name, and the positions asked for."""
    everything = cache(compute)

    def values(name: str, positions: Positions | None = None) -> NDArray[np.float64]:
        return everything(name) if positions is None else everything(name)[positions]

    return values


class Case:
    """A graph with its exact EBC."""

    def __init__(self, name: str) -> None:
        self.graph = GRAPHS[name]()
        self.n = self.graph.node_count
        self.projection = Remembered(self.graph)
        self.truth = self.projection.values("ebc")

    @property
    def largest(self) -> int:
        """The largest degree, as a bound that somebody declared who knew."""
        return self.graph.max_degree

    def found(self, picked: Positions, k: int, truth: NDArray[np.float64] | None = None) -> float:
        """Return the share of the picked nodes that belong to the top k."""
        values = self.truth if truth is None else truth
        return float(np.mean(values[picked] >= np.sort(values)[::-1][k - 1]))

    def ceiling(self, metric: str, k: int) -> float:
        """Return the recall of a ranking without noise, ties to the lower position."""
        return self.found(np.argsort(-self.projection.values(metric), kind="stable")[:k], k)

    def recall(self, draw: Draw, k: int, epsilon: str, truth: NDArray[np.float64] | None = None) -> float:
        """Return the mean recall of `RUNS` releases."""
        return fmean(self.found(draw(self, k, Fraction(epsilon), words), k, truth) for words in seeded(RUNS))


class Plain(Case):
    """A graph whose exact vectors are computed for every release, as an owner's are."""

    def __init__(self, name: str) -> None:
        self.graph = GRAPHS[name]()
        self.n = self.graph.node_count
        self.projection = GraphProjection(self.graph)  # type: ignore[assignment]


def planned(
    kind: Kind, case: Case, bound: int | None, epsilon: Fraction, words: Words, **asked: object
) -> Positions:
    """Draw a release as it is asked for."""
    facts = PublicFacts(case.n, bound)
    asked["epsilon"] = str(float(epsilon))
    return draw_positions(of_nodes(plan(kind, asked, facts)), case.projection, words)


def sld(
    case: Case, k: int, epsilon: Fraction, words: Words, *, bound: int | None = None, metric: str = "ebc"
) -> Positions:
    return planned("priv_top_k", case, bound, epsilon, words, metric=metric, k=k, mechanism="sld")


def version2(case: Case, k: int, epsilon: Fraction, words: Words) -> Positions:
    return draw_version2(Asked(case.n, case.n - 1, k, epsilon), case.projection, words)


def degrees(case: Case, k: int, epsilon: Fraction, words: Words) -> Positions:
    vector = degree_vector(case.projection, case.n).with_noise(epsilon * 2 / min(k, 2), words)
    return top_k_with_random_ties(vector.integers, k, words)


def both(case: Case, k: int, epsilon: Fraction, words: Words, *, bound: int | None = None) -> Positions:
    most = case.n - 1 if bound is None else min(bound, case.n - 1)
    return draw_top_k(Asked(case.n, most, k, epsilon), case.projection, words)[0]


def ordered(case: Case, k: int, epsilon: Fraction, words: Words) -> Positions:
    asked = Asked(case.n, case.n - 1, k, epsilon, ordered=True)
    return draw_top_k(asked, case.projection, words)[0]


def lists(case: Case, k: int, epsilon: Fraction, words: Words) -> Positions:
    """Draw by lists alone, of the largest degree: whoever knows that needs no degrees for it."""
    asked = Asked(case.n, case.n - 1, k, epsilon, cap=case.largest)
    return draw_lists(asked, case.projection, words)[0]


def methods(case: Case) -> dict[str, Draw]:
    return {
        "SLD, largest degree declared": partial(sld, bound=case.largest),
        "SLD, no bound": sld,
        "degree": degrees,
        "version 2, no bound": version2,
        "both, no bound": both,
        "both, largest degree declared": partial(both, bound=case.largest),
        f"both, {FAR_TOO_LARGE} times that": partial(both, bound=FAR_TOO_LARGE * case.largest),
    }


@cache
def case(name: str) -> Case:
    return Case(name)


def wanted(asked: list[str], graphs: Iterable[str], picks: Iterable[int]) -> tuple[list[str], list[int]]:
    """Return the graphs and the k that the words name, or all of each kind that they name none of."""
    names = [word for word in asked if not word.isdecimal()] or [name for name in graphs if name in GRAPHS]
    return names, [int(word) for word in asked if word.isdecimal()] or list(picks)


def recall(asked: list[str]) -> None:
    names, picks = wanted(asked, GRAPHS, PICKS)
    for name in names:
        about(name)
        head("k", "no noise: degree / betweenness2", "method", *EPSILONS)
        for k in picks:
            limit = limit_by_epsilon(case(name).graph, case(name).truth, k, by_degree=False)
            row(k, "", "limit of private lists", *(f"{limit(float(epsilon)):.2f}" for epsilon in EPSILONS))
            best = " / ".join(f"{case(name).ceiling(metric, k):.2f}" for metric in ("degree", "betweenness2"))
            for label, draw in methods(case(name)).items():
                row(k, best, label, *(f"{case(name).recall(draw, k, epsilon):.2f}" for epsilon in EPSILONS))


def default(asked: list[str]) -> None:
    names, picks = wanted(asked, ("Enron", "GitHub", "clusters", "power law", "co-authorship"), PICKS)
    head("graph, k", *EPSILONS)
    for name in names:
        for k in picks:
            row(f"{name}, {k}", *(f"{case(name).recall(both, k, epsilon):.2f}" for epsilon in EPSILONS))


def rule(asked: list[str]) -> None:
    """Print where the default is below the best plainer choice of the same price, or falls as epsilon grows."""
    names, picks = wanted(asked, GRAPHS, (10, 100))
    plainer: dict[str, Draw] = {"degree": degrees, "sld, largest degree": largest_sld, "version 2": version2}
    head(
        "graph, k", "epsilon", "default", *plainer, "below the best", "standard error", "kept", "limit", "factor"
    )  # fmt: skip
    for name in names:
        known = case(name)
        for k in picks:
            before = (0.0, 0.0)
            limit = limit_by_epsilon(known.graph, known.truth, k, by_degree=False)
            for epsilon in EPSILONS:
                mine, *others = (found_of(known, draw, k, epsilon) for draw in (both, *plainer.values()))
                best = max(others)
                below, error = best[0] - mine[0], float(np.hypot(best[1], mine[1]))
                fell = before[0] - mine[0] > 3 * float(np.hypot(before[1], mine[1]))
                kept = "falls" if fell else "no" if below > 3 * error else "yes"
                shown = (f"{each[0]:.3f}" for each in (mine, *others))
                beside = f"{limit(float(epsilon)):.3f}", factor(limit, float(epsilon), mine[0])
                row(f"{name}, {k}", epsilon, *shown, f"{below:+.3f}", f"{error:.3f}", kept, *beside)
                before = max(before, mine)


def factor(limit: Callable[[float], float], epsilon: float, recall: float) -> str:
    """Return how many times less epsilon the limit of private lists needs for a recall: room that is left at most.

    Empty where nothing is found, and where all is: the limit says no more of it than of .999.
    """
    if recall <= 0 or recall >= 0.999:
        return ""
    low, high = epsilon / 1_000, 10 * epsilon
    for _ in range(13):
        middle = (low * high) ** 0.5
        low, high = (low, middle) if limit(middle) >= recall else (middle, high)
    return f"{epsilon / high:.1f}"


def found_of(case: Case, draw: Draw, k: int, epsilon: str) -> tuple[float, float]:
    """Return mean recall and its standard error, at least that of one miss in all runs."""
    runs = [case.found(draw(case, k, Fraction(epsilon), words), k) for words in seeded(RUNS)]
    return fmean(runs), max(float(np.std(runs, ddof=1)), 1 / k / RUNS**0.5) / RUNS**0.5


def largest_sld(case: Case, k: int, epsilon: Fraction, words: Words) -> Positions:
    return sld(case, k, epsilon, words, bound=case.largest)


def forms(asked: list[str]) -> None:
    names, picks = wanted(asked, ("Enron", "clusters"), (10, 100))
    for name in names:
        about(name)
        head("k", "form", *EPSILONS)
        for k in picks:
            for label, draw in {
                "both": both,
                "ordered": ordered,
                "lists, cap = largest degree": lists,
            }.items():
                row(k, label, *(f"{case(name).recall(draw, k, epsilon):.2f}" for epsilon in EPSILONS))


def metric(asked: list[str]) -> None:
    names, picks = wanted(asked, ("Enron", "GitHub", "clusters"), (10, 100))
    for name in names:
        about(name)
        known = case(name)
        head("k", "method", *EPSILONS)
        truth = known.projection.values("betweenness2")
        compared: dict[str, Draw] = {
            "SLD, largest degree declared": partial(sld, bound=known.largest, metric="betweenness2"),
            "SLD, no bound": partial(sld, metric="betweenness2"),
            "joint, degree": degrees,
            "joint, betweenness2, largest degree declared": partial(promised, bound=known.largest),
            "joint, betweenness2, no bound": promised,
            "joint, both, version 2, no bound": version2,
            "joint, both, no bound": both,
            "joint, both, largest degree declared": partial(both, bound=known.largest),
        }
        for k in picks:
            for label, draw in compared.items():
                row(k, label, *(f"{known.recall(draw, k, epsilon, truth):.2f}" for epsilon in EPSILONS))


def promised(case: Case, k: int, epsilon: Fraction, words: Words, *, bound: int | None = None) -> Positions:
    """Length-2 betweenness by itself with noise of the declared bound."""
    asked = {"metric": "betweenness2", "k": k, "mechanism": "joint", "proxy": "betweenness2"}
    return planned("priv_top_k", case, case.n - 1 if bound is None else bound, epsilon, words, **asked)


DESIGNED = {
    ("Enron", 10): ".84/.86/.84/.85 .91/.90/.91/.93 .97/.90/.96/.96 1/.90/1/1 1/.92/1/1",
    ("Enron", 20): ".75/.78/.78/.78 .93/.96/.95/.95 .96/.95/.95/.96 .98/.95/.99/.99 1/.96/.99/1",
    ("Enron", 100): ".39/.39/.39/.34 .85/.85/.85/.87 .89/.89/.93/.93 .95/.89/.98/.97 .98/.89/.99/.99",
    ("GitHub", 10): ".91/.92/.92/.92 .95/.97/.96/.97 .96/.94/.99/1 .98/.97/.98/.99 1/.99/1/1",
    ("GitHub", 20): ".94/.94/.92/.92 .95/.96/.96/.95 .95/.95/.95/.95 .95/.95/.95/.95 .95/.95/.95/.95",
    ("GitHub", 100): ".57/.57/.57/.54 .90/.91/.90/.92 .94/.94/.94/.93 .94/.94/.97/.97 .94/.94/.96/.96",
    ("clusters", 10): ".05/.06/.06/.05 .33/.32/.31/.39 .80/.51/.84/.91 .96/.51/.96/.98 .99/.83/.98/.99",
    ("clusters", 20): ".06/.05/.05/.04 .24/.24/.25/.31 .60/.31/.70/.86 .92/.37/.94/.96 .96/.71/.96/.97",
    ("clusters", 100): ".10/.10/.10/.09 .19/.19/.19/.21 .25/.29/.29/.39 .47/.23/.54/.59 .62/.30/.60/.66",
}
"""Where the method was designed, by epsilon: version 1 with the largest degree declared, without a bound, lists and
ordered, each of the two by itself with float noise."""
DESIGNED_ROWS = (
    "designed: version 1, largest degree declared",
    "designed: version 1, no bound",
    "designed: lists",
    "designed: ordered",
)


def spec(asked: list[str]) -> None:
    """Print every designed row, what is released here, and how far that is behind the better of the two forms."""
    names, picks = wanted(asked, (name for name, _ in DESIGNED), (k for _, k in DESIGNED))
    head("graph, k", "", *EPSILONS)
    for (name, k), cells in DESIGNED.items():
        if name not in names or k not in picks:
            continue
        designed = np.array([[float(value) for value in cell.split("/")] for cell in cells.split()])
        found = np.array([case(name).recall(both, k, epsilon) for epsilon in EPSILONS])
        for label, values in zip(DESIGNED_ROWS, designed.T, strict=True):
            row(f"{name}, {k}", label, *(f"{value:.2f}" for value in values))
        before = (case(name).recall(version2, k, epsilon) for epsilon in EPSILONS)
        row(f"{name}, {k}", "version 2, no bound", *(f"{value:.2f}" for value in before))
        row(f"{name}, {k}", "**here: both, no bound**", *(f"{value:.2f}" for value in found))
        less = np.maximum(designed[:, 2:].max(axis=1) - found, 0)
        row(f"{name}, {k}", "less than the better form", *(f"{value:.2f}" for value in less))


def several(asked: list[str]) -> None:
    epsilons, k = ("0.01", "0.03", "0.1", "0.3", "1", "3", "10"), 10
    for name in wanted(asked, ("Enron", "GitHub"), ())[0]:
        print(f"\n**{name}**, degree and density, k = 10: accuracy\n")
        head("ranked by", "method", *epsilons)
        known = case(name)
        columns = np.column_stack([known.graph.degrees, known.projection.values("density")])
        for weights in (None, (1.0, 1.0), (1.0, 100.0)):
            truth = pareto_score(columns).astype(float) if weights is None else columns @ np.array(weights)
            label = "Pareto" if weights is None else f"sum, weights {weights[0]:g}, {weights[1]:g}"
            for method, draw in {
                "SLD, largest degree declared": partial(several_sld, weights=weights),
                "joint, no bound": partial(several_joint, weights=weights),
            }.items():
                row(label, method, *(f"{known.recall(draw, k, epsilon, truth):.2f}" for epsilon in epsilons))


def several_sld(
    case: Case, k: int, epsilon: Fraction, words: Words, *, weights: tuple[float, ...] | None
) -> Positions:
    approach = "pareto" if weights is None else "aggregate"
    asked = {"metrics": ("degree", "density"), "k": k, "weights": weights, "approach": approach}
    return planned("motkin", case, case.largest, epsilon, words, **asked)


def several_joint(
    case: Case, k: int, epsilon: Fraction, words: Words, *, weights: tuple[float, ...] | None
) -> Positions:
    asked = Several(case.n, case.n - 1, k, epsilon, ("degree", "density"), weights)
    return draw_several(asked, case.projection, words)[0]


def estimates_off(_: Iterable[str]) -> None:
    epsilons = ("0.1", "0.3", "1", "3")
    head("graph", "of", "", *epsilons)
    for name in filter(GRAPHS.__contains__, ("Enron", "GitHub")):
        known, seen = case(name), case(name).graph.degrees
        truth = {"edges": seen.sum() / 2, "wedges": (seen * (seen - 1)).sum() / 2}
        runs = {
            each: [estimated(known, Fraction(each), words) for words in seeded(RUNS)] for each in epsilons
        }
        for of, true in truth.items():
            off = (np.mean([(run[of].value / true - 1) ** 2 for run in runs[e]]) ** 0.5 for e in epsilons)
            row(name, of, "relative rms error, %", *(f"{100 * value:.2f}" for value in off))
            within = (np.mean([run[of].low <= true <= run[of].high for run in runs[e]]) for e in epsilons)
            row(name, of, "within the interval", *(f"{value:.2f}" for value in within))


def estimated(case: Case, epsilon: Fraction, words: Words) -> dict[str, Estimate]:
    """Return the estimates of one release."""
    asked = Asked(case.n, case.n - 1, 10, epsilon)
    return estimates(buy(asked, case.projection, words))


def time_beside_version2(_: Iterable[str]) -> None:
    """Print what a release takes, drawn in turn with version 2 and with degrees alone of the same price."""
    print(
        "Processor time of one release, one thread, ms, best of 7 in turn; what is bought differs by run.\n"
    )
    head("graph, k", "epsilon", "degree", "version 2", "default", "default / version 2", "default / degree")
    for name in filter(GRAPHS.__contains__, ("Enron", "GitHub", "clusters", "co-authorship")):
        known = Plain(name)
        for k in (10, 100):
            for epsilon in EPSILONS:
                draws = (
                    partial(draw, known, k, Fraction(epsilon), SecureWords())
                    for draw in (degrees, version2, both)
                )
                degree, before, now = in_turn(*draws)
                shown = (f"{1_000 * each:.1f}" for each in (degree, before, now))
                row(f"{name}, {k}", epsilon, *shown, f"{now / before:.2f}", f"{now / degree:.2f}")


def time_release(_: Iterable[str]) -> None:
    print("Processor time of one thread, best of 7, in turn; ratios to betweenness2.\n")
    head("graph", "cap", "betweenness2, ms", "lists", "ordered", "closed pairs, ordered")
    for name in filter(GRAPHS.__contains__, ("Enron", "GitHub")):
        graph = case(name).graph
        n, ranks = graph.node_count, ranking(graph.degrees)
        ones = np.ones(n, dtype=np.int64)
        for cap in (n - 1, 1_000, 300):
            caps = np.full(n, cap)
            base, *others = in_turn(
                partial(native.betweenness2_shares, graph, 20, threads=1),
                partial(native.cut_shares, graph, caps, None, 20, threads=1),
                partial(native.cut_shares, graph, caps, ranks, 20, threads=1),
                partial(native.cut_closed_shares, graph, caps, ranks, ones, 50, 20, threads=1),
            )
            row(name, f"{cap:,}", f"{1_000 * base:.0f}", *(f"{other / base:.2f}" for other in others))
    graph = generators.affiliation(300_000, 300_000)
    projection, n, words = GraphProjection(graph), graph.node_count, SecureWords()
    asked = Asked(n, n - 1, 10, Fraction(3))
    bought = buy(asked, projection, words)
    ranked = np.unique(scores(asked, bought), return_inverse=True)[1]
    choice = bought[-1].purchase.choice
    print(f"\n{graph!r}, {choice}; one release, step by step, ms of processor time, best of 7\n")
    head("step", "ms")
    assert isinstance(choice, Lists | Ordered), "degrees were bought: no cut to measure"
    ranks, cap = ranking(bought[-1].purchase.seen), choice.cap
    vector = cut_vector(projection, n, cap, ranks)
    for step, work in {
        "exact cut vector": lambda: cut_vector(projection, n, cap, ranks).whole,
        "noise on the degrees": lambda: degree_vector(projection, n).with_noise(Fraction(1), words),
        "ordered degrees": lambda: ordered_degree_vector(projection, n, ranks),
        "noise on the cut vector": lambda: vector.with_noise(Fraction(1), words),
        "fit and scores": lambda: scores(asked, bought),
        "selection": lambda: top_k_with_random_ties(ranked, 10, words),
    }.items():
        row(step, f"{1_000 * in_turn(work)[0]:.0f}")


def in_turn(*work: Callable[[], object]) -> list[float]:
    """Return the least processor time of each, measured in turn."""

    def once(one: Callable[[], object]) -> float:
        start = time.process_time()
        one()
        return time.process_time() - start

    return np.min([[once(one) for one in work] for _ in range(7)], axis=0).tolist()


def about(name: str) -> None:
    graph = case(name).graph
    falling = np.sort(graph.degrees)[::-1]
    hubs = np.argsort(-graph.degrees)[:200]
    values = np.maximum(case(name).projection.values("betweenness2")[hubs], 1)
    spread = np.log(values / (graph.degrees[hubs] * (graph.degrees[hubs] - 1) / 2)).std()
    print(
        f"\n**{name}**: {graph.node_count:,} nodes, {graph.edge_count:,} edges, largest degree {falling[0]:,}, "
        f"10th {falling[9]:,}, 100th {falling[99]:,}; spread of `ln rho` of the 200 largest {spread:.2f}\n"
    )


def head(*cells: object) -> None:
    row(*cells)
    row(*["---"] * len(cells))


def row(*cells: object) -> None:
    print("|", " | ".join(str(cell) for cell in cells), "|", flush=True)


PARTS: dict[str, Callable[[list[str]], None]] = {
    "recall": recall,
    "default": default,
    "rule": rule,
    "forms": forms,
    "metric": metric,
    "spec": spec,
    "several": several,
    "estimates": estimates_off,
    "release": time_beside_version2,
    "time": time_release,
}

if __name__ == "__main__":
    PARTS[sys.argv[1]](sys.argv[2:])
