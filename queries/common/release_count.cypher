// How many releases of a graph were debited.
//
// parameters:
//   name: the graph's name
// columns:
//   releases: number of releases
// cost: the releases of one graph
MATCH (release:EdgeDPRelease {graph: $name})
RETURN count(release) AS releases
