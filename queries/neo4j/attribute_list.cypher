// The declarations of properties in the log of an attributes' account, oldest first.
//
// parameters:
//   name: the account's name
// columns:
//   seq: the row's number
//   body: of the declaration, JSON; null where rows of the log are missing, so that no earlier one is believed
// cost: the log of one account
CALL () { MATCH (each:EdgeDPEntry) WHERE each.name = $name AND each.seq > 0 RETURN count(each) AS rows }
OPTIONAL MATCH (account:EdgeDPAccount {name: $name})
WITH coalesce(account.entries, rows) = rows AS whole
OPTIONAL MATCH (entry:EdgeDPEntry)
WHERE entry.name = $name AND entry.seq > 0 AND entry.kind = 'attribute'
WITH whole, entry
WHERE entry IS NOT NULL OR NOT whole
RETURN coalesce(entry.seq, 0) AS seq, CASE WHEN whole THEN entry.body END AS body
ORDER BY seq
