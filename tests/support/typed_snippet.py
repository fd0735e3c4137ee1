"""What a type checker must find before anything runs: a line that ends in ``# wrong`` is an error, no other is."""

from __future__ import annotations

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
