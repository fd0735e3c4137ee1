// Note that a release is still being drawn.
//
// parameters:
//   releaseId: identifier of the release
//   seconds: how long from now, by the database's clock
// columns: none
// cost: one row
MATCH (lease:EdgeDPLease {releaseId: $releaseId})
SET lease.until = timestamp() + 1000 * $seconds
