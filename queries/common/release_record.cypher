// Keep what was drawn.
//
// parameters:
//   releaseId: identifier of the release
//   nodes: node ids in the order picked, JSON
// columns:
//   releaseId: no row if there is no such release
// cost: one row
MATCH (release:EdgeDPRelease {releaseId: $releaseId})
SET release.nodes = $nodes
RETURN release.releaseId AS releaseId
