// Whether a row of the log notes an exact read of this user's that is about to happen: the last row, or a release
// that is being drawn.
//
// parameters:
//   name: the graph's name
//   entry: the row's number
// columns:
//   seq: the row's number; no row if it does not
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
MATCH (entry:EdgeDPEntry {name: $name, seq: $entry})
CALL dbms.showCurrentUser() YIELD username
WITH account, entry, username
WHERE (entry.by = username OR entry.by STARTS WITH username + ' for ') AND (
  (entry.kind = 'exact' AND entry.seq = account.entries)
  OR (entry.kind = 'debit' AND EXISTS {
    MATCH (lease:EdgeDPLease {releaseId: entry.releaseId}) WHERE lease.until > timestamp()
  })
)
RETURN entry.seq AS seq
