// Note that a release is no longer being drawn, and clear what dead drawers of this graph left.
//
// parameters:
//   name: the graph's name
//   releaseId: identifier of the release
// columns: none
// cost: the leases of one graph
MATCH (lease:EdgeDPLease)
WHERE lease.releaseId = $releaseId OR (lease.name = $name AND (lease.until < timestamp() OR lease.until > timestamp() + 30000))
DELETE lease
