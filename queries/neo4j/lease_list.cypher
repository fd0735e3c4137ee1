// The releases that are being drawn, or whose answer may not leave yet.
//
// parameters: none
// columns:
//   releaseId: identifier of the release
// cost: all leases
MATCH (lease:EdgeDPLease)
WHERE timestamp() < lease.until <= timestamp() + 30000
RETURN lease.releaseId AS releaseId
