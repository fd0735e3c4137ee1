// Whether a row of the log notes a read of this user's that is about to happen: the last row, of an exact read, or a
// release that is being drawn. A row notes one read: here it is used up.
//
// parameters:
//   name: the graph's name
//   entry: the row's number; 0 for the last
// columns:
//   seq: the row's number; no row if it does not
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
MATCH (entry:EdgeDPEntry {name: $name, seq: CASE $entry WHEN 0 THEN account.entries ELSE $entry END})
SET account.held = true
WITH account, entry
CALL dbms.showCurrentUser() YIELD username
OPTIONAL MATCH (lease:EdgeDPLease {releaseId: entry.releaseId})
WHERE timestamp() < lease.until <= timestamp() + 30000 AND lease.read IS NULL
WITH account, entry, username, lease
WHERE (entry.by = username OR entry.by STARTS WITH username + ' for ') AND (
  (entry.kind = 'exact' AND entry.seq = account.entries AND coalesce(account.readAt, 0) < entry.seq)
  OR (entry.kind = 'debit' AND lease IS NOT NULL)
)
SET account.readAt = CASE entry.kind WHEN 'exact' THEN entry.seq ELSE account.readAt END, lease.read = true
RETURN entry.seq AS seq
