"""The releases of a graph in memory: the caller holds the edges, nothing is debited."""
