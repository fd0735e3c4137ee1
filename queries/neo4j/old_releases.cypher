// The releases of edgedp 0.1.0, oldest first.
//
// parameters: none
// columns:
//   releaseId, graph, at, requestId, selector: as it wrote them
//   cost: nano-epsilon
//   parameters, public: JSON
//   nodes: node ids in the order picked, JSON; null if the release was debited and never drawn
// cost: one row a release
MATCH (release:EdgeDPRelease)
RETURN release.releaseId AS releaseId, release.graph AS graph, release.at AS at, release.requestId AS requestId,
       release.cost AS cost, release.selector AS selector, release.parameters AS parameters,
       release.public AS public, release.nodes AS nodes
ORDER BY at, releaseId
