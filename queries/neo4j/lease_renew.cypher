// Note that a release is still being drawn, also where its lease was swept; not once there is an answer.
//
// parameters:
//   name: the account's name
//   releaseId: identifier of the release
//   seconds: how long from now, at most 30
// columns: none
// cost: one row
MATCH (debit:EdgeDPEntry {releaseId: $releaseId, kind: 'debit'})
WHERE debit.name = $name AND NOT EXISTS {
  MATCH (:EdgeDPEntry {releaseId: $releaseId, kind: 'answer'})
}
MERGE (lease:EdgeDPLease {releaseId: $releaseId})
SET lease.name = $name, lease.until = timestamp() + 1000 * $seconds
