// Whether the graph is still the version that was planned for; run it after account_lock.
//
// parameters:
//   name: the graph's name
//   version: the version
// columns:
//   name: no row if the graph was replaced or dropped
// cost: one row
MATCH (graph:EdgeDPStoredGraph {name: $name})
WHERE graph.version = $version
RETURN graph.name AS name
