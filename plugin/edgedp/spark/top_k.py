"""The top k of a data frame of edges; its holder asks, and nothing is debited."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, SupportsIndex, Unpack

from edgedp.mechanisms.checks import check_choice, check_degree_bound, check_switch
from edgedp.mechanisms.sampling.words import words_from
from edgedp.mechanisms.values import Mechanism
from edgedp.release.in_memory.releasing import check_keeps_bound
from edgedp.release.option import spelled_out
from edgedp.release.options import TopKOptions, TopKWords
from edgedp.release.plan import JointPlan, Plan, PublicFacts, plan
from edgedp.release.plan.arcs import cap_of
from edgedp.release.release import Release
from edgedp.words.errors import EdgeDPError, EngineError, GraphFormatError
from edgedp.words.vocabulary import ARC_METRICS, ArcMetricName, MechanismName, TopKMetricName

if TYPE_CHECKING:
    import numpy as np
    from pyspark.sql import DataFrame

    from edgedp.mechanisms.sampling.words import Words
    from edgedp.release.answers import Nodes
    from edgedp.spark.edges import Edges, Figures


@spelled_out(TopKOptions, TopKWords)
def priv_top_k(
    dataframe: DataFrame,
    metric: TopKMetricName,
    k: SupportsIndex,
    epsilon: Any,
    mechanism: MechanismName | Mechanism | None = None,
    *,
    degree_bound: int | None = None,
    rng: np.random.Generator | None = None,
    nodes: DataFrame | None = None,
    source: str | int | None = None,
    target: str | int | None = None,
    directed: bool = False,
    **options: Unpack[TopKWords],
) -> Release:
    """Release the k nodes of highest metric of a graph whose edges are a data frame of Spark.

    The plan, the law and the refusals are those of `edgedp.priv_top_k`. Drawn are ``degree``, ``ebc`` and
    ``betweenness2`` by ``joint``, with every proxy, and ``degree``, ``density`` and ``ebc`` by ``em``, ``pf``, ``ld``
    and ``sld``. Where directions are kept, ``in_degree`` and ``out_degree`` are drawn by ``joint``, ``em`` and ``pf``.

    Parameters
    ----------
    dataframe : DataFrame
        One edge a row, of a classic session of pyspark 4; ids are all integers or all texts. Parallels merge,
        self-loops drop, and directions merge for what asks for none.
    metric, k, epsilon, mechanism, **options
        As for `edgedp.priv_top_k`; of arcs Spark keeps no target.
    degree_bound : int, optional
        A **public** bound on the degree; default ``n - 1``.
    rng : numpy.random.Generator, optional
        For simulations: the release is then marked as not private.
    nodes : DataFrame, optional
        One column: all node ids, isolated ones included.
    source, target : str or int, optional
        The columns of the two ends, by name or by number from 1; not needed where there are two.
    directed : bool
        Whether a row is an arc, from source to target.

    Returns
    -------
    Release

    Raises
    ------
    EdgeDPError
        As for `edgedp.priv_top_k`; or Spark does not draw what is asked for, or the rows are no graph.

    Notes
    -----
    Privacy: as for `edgedp.priv_top_k`. Of ``joint`` over undirected edges the executors compute exact vectors, and
    the driver, which holds a few numbers for each node, draws the noise. Else the noise of a row comes from the secure
    source of its executor and is drawn once: a task that would draw it again fails, and with it the release; the driver
    then sees the candidates' rows.

    Examples
    --------
    With a session of Spark at hand:

    >>> edges = spark.read.parquet("s3a://lake/payments/")  # doctest: +SKIP
    >>> priv_top_k(edges, "degree", k=10, epsilon=1, source="payer", target="payee").nodes  # doctest: +SKIP
    [5038, 273, 458, 140, 1028, 195, 370, 1139, 136, 566]
    """
    from edgedp.spark.drawing import check_can_draw
    from edgedp.spark.edges import figures_of
    from edgedp.spark.frames import edges_of

    words = words_from(rng)
    check_switch(directed, "directed")
    edges = edges_of(dataframe, nodes, source, target)
    asked = {"metric": metric, "k": k, "epsilon": epsilon, "mechanism": mechanism, **options}
    bound = check_degree_bound(degree_bound)
    with spark_errors():
        counted = metric in ARC_METRICS and directed
        if not counted:
            edges = edges.kept()
        degrees = edges.arc_counts(*_counted(metric, options.get("cap"))) if counted else edges.degrees()
        figures = figures_of(degrees)
        check_whole(figures)
        facts = PublicFacts(figures.node_count, bound, nodes is not None, directed=directed)
        planned = plan("priv_top_k", asked, facts)
        check_can_draw(planned)
        check_keeps_bound(figures.max_degree, planned)
        answer = _drawn(planned, edges, degrees, words)
    return Release(answer, planned, private=words.private)


def _drawn(planned: Plan, edges: Edges, degrees: DataFrame, words: Words) -> Nodes:
    from edgedp.spark.drawing import draw_on_spark, draw_vectors
    from edgedp.spark.executors import SecureSource, SeededSource

    if isinstance(planned, JointPlan):
        return draw_vectors(planned, edges, words, pay=lambda _: True)  # nothing is debited
    if words.private:
        return draw_on_spark(planned, edges, degrees, SecureSource())
    seeded = SeededSource(int(words.take(1)[0]))
    return draw_on_spark(planned, edges, degrees.sortWithinPartitions("id"), seeded)


def _counted(metric: str, cap: Any) -> tuple[ArcMetricName, int | None]:
    """Return what is counted at each node, and through which cuts."""
    name = check_choice(metric, "metric", ARC_METRICS)
    return name, cap_of(name, cap)


def check_whole(figures: Figures) -> None:
    """Refuse rows that are no graph; for whoever holds them."""
    if figures.nameless:
        raise GraphFormatError(
            "a row of the edges lacks an end, or has one that is not among the nodes; mend the rows, or give all nodes"
        )
    if figures.node_count == 0:
        raise GraphFormatError("the edges have no row; give a graph of at least one node")


@contextmanager
def spark_errors() -> Iterator[None]:
    """Let no error of Spark out: its text holds rows, and pages of Java."""
    try:
        yield
    except EdgeDPError:
        raise
    except MemoryError:
        raise MemoryError from None
    except Exception:
        raise EngineError(
            "Spark could not compute the release, and nothing of it is shown; the logs of the cluster say why"
        ) from None
