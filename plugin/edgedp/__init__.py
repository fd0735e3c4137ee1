"""edgedp: who matters in a graph, without saying who is connected to whom."""
