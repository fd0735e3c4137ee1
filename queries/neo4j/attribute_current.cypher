// Whether a property is still declared as it was planned for; run it after account_lock.
//
// parameters:
//   name: the account's name
//   head: how the declarations of the property begin, JSON
//   body: the declaration, JSON
// columns:
//   seq: the row's number; no row if there is a later declaration of the property, or none in these words, or
//     rows of the log are missing
// cost: the log of one account
MATCH (account:EdgeDPAccount {name: $name})
WHERE account.entries = COUNT { MATCH (each:EdgeDPEntry) WHERE each.name = $name AND each.seq > 0 }
MATCH (entry:EdgeDPEntry)
WHERE entry.name = $name AND entry.seq > 0 AND entry.kind = 'attribute' AND entry.body STARTS WITH $head
WITH entry
ORDER BY entry.seq DESC
LIMIT 1
WITH entry
WHERE entry.body = $body
RETURN entry.seq AS seq
