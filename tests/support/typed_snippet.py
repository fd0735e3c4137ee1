"""What a type checker must find before anything runs: a line that ends in ``# wrong`` is an error, no other is."""

from __future__ import annotations

import numpy

import edgedp
import edgedp.exact
import edgedp.mechanisms
import edgedp.quality
import edgedp.spark
from edgedp.quality import true_top


def modules() -> None:
    from edgedp import qualities  # wrong
    from edgedp.quality import recal  # wrong

    print(qualities, recal)


def asked(graph: edgedp.Graph, store: edgedp.Store) -> None:
    edgedp.priv_top_k(graph, metric="ebc", k=10, epsilon=1, mechanism="sld")
    edgedp.priv_top_k(graph, metric="pagerank", k=10, epsilon=1)  # wrong
    edgedp.priv_top_k(graph, metric="ebc", k=10, epsilon=1, mechanism="laplace")  # wrong
    edgedp.motkin(graph, metrics=("degree", "closeness"))  # wrong
    store.priv_top_k("g", metric="pagerank", k=10, epsilon=1)  # wrong
    store.priv_top_k("g", metric="degree", k=10, epsilon=1, engine="numba")  # wrong
    edgedp.exact.values(graph, "pagerank")  # wrong
    edgedp.priv_topk(graph, metric="ebc", k=10, epsilon=1)  # wrong
    edgedp.mechanisms.probability("em", [1.0], 1)  # wrong
    edgedp.quality.recall([1], [1])
    edgedp.quality.recal([1], [1])  # wrong
    edgedp.spark.priv_topk(None, "degree", 1, 1)  # wrong
    edgedp.exact.degrees(graph)  # wrong
    true_top("ebc")  # wrong


def shown(release: edgedp.Release, store: edgedp.Store) -> None:
    rows = store.releases("g")
    print(rows[0]["nodes"], rows[0]["release_id"], release.epsilon, len(release))
    print(rows[0]["nodez"])  # wrong
    print(store.graphs()[0]["node_count"], store.budget("g")["epsilon_remaining"])
    print(store.graphs()[0]["edge_count"])  # wrong
    print(store.budget("g")["epsilon"])  # wrong
    print(store.log("g")[0]["who"])  # wrong
    print(release.scores)  # wrong


def words(graph: edgedp.Graph, store: edgedp.Store) -> None:
    edgedp.priv_top_k(graph, metric="ebc", k=1, epsilon="0.1", shift="up", proxy="both")
    edgedp.motkin(graph, ("degree", "density"), sensitivity_form="interval+edge")
    store.motkin("g", ["degree", "ebc"], approach="aggregate", weights=[1, 2])
    edgedp.exact.values(graph, "density", engine="igraph")
    edgedp.motkin(graph, mechanism="joint", estimates=True)
    edgedp.priv_top_k(graph, metric="ebc", k=1, epsilon=1, proxy="lists", cap=9)
    edgedp.mechanisms.probabilities("pf", [1.0], 1, global_sensitivity=1)
    store.count("g", "common_neighbors", 1, pair=(1, 2))
    store.distribution("g", epsilon=1, form="histogram")
    edgedp.priv_top_k(graph, metric="ebc", k=numpy.int64(10), epsilon=1)
    store.priv_top_k("g", metric="degree", k=numpy.int64(10), epsilon=1)
    edgedp.priv_top_k(graph, metric="pagerank", k=1, epsilon=1)  # wrong
    edgedp.priv_top_k(graph, metric="ebc", k=1, epsilon=1, mechanism="laplace")  # wrong
    edgedp.priv_top_k(graph, metric="ebc", k=1, epsilon=1, sensitivity_form="interval")  # wrong
    edgedp.motkin(graph, ("degree", "pagerank"))  # wrong
    edgedp.motkin(graph, mechanism="laplace")  # wrong
    store.priv_top_k("g", metric="pagerank", k=1, epsilon=1)  # wrong
    store.priv_top_k("g", metric="ebc", k=1, epsilon=1, sampler="gumbel")  # wrong
    store.motkin("g", approach="parreto")  # wrong
    edgedp.exact.sensitivity(graph, "pagerank", 1)  # wrong
    edgedp.exact.first_pick_probabilities(graph, metric="pagerank", k=1, epsilon=1)  # wrong
    edgedp.mechanisms.probabilities("joint", [1.0], 1)  # wrong
    edgedp.count(graph, of="triangle", epsilon=1)  # wrong
    store.count("g", of="triangles", epsilon=1, delta=1e-6)  # wrong
    store.count("g", of="triangles", epsilon=1, mechanism="laplace")  # wrong
    store.distribution("g", epsilon=1, form="cdf")  # wrong
