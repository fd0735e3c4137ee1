// The releases of a graph, oldest first.
//
// parameters:
//   name: the graph's name
// columns:
//   releaseId, at, cost (nano-epsilon), selector
//   parameters, public: JSON
//   nodes: node ids in the order picked, JSON; null if the release was debited and never drawn
// cost: one row a release
MATCH (release:EdgeDPRelease {graph: $name})
RETURN release.releaseId AS releaseId, release.at AS at, release.cost AS cost, release.selector AS selector,
       release.parameters AS parameters, release.public AS public, release.nodes AS nodes
ORDER BY at, releaseId
