// The release of an asker's request, if it was debited before; run it after ledger_lock.
//
// parameters:
//   name: the graph's name
//   requestId: the asker's identifier of the request
// columns:
//   releaseId, selector, parameters, public, nodes: as in release_list
// cost: the releases of one graph
MATCH (release:EdgeDPRelease {graph: $name})
WHERE release.requestId = $requestId
RETURN release.releaseId AS releaseId, release.selector AS selector, release.parameters AS parameters,
       release.public AS public, release.nodes AS nodes
