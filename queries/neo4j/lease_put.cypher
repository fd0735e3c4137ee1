// Note that a release is being drawn; run it after log_debit.
//
// parameters:
//   name: the graph's name
//   releaseId: identifier of the release
//   seconds: how long, at most 30
// columns: none
// cost: one row
CREATE (:EdgeDPLease {releaseId: $releaseId, name: $name, until: timestamp() + 1000 * $seconds})
