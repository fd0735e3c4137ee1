// The declarations of properties in the log of an attributes' account, oldest first.
//
// parameters:
//   name: the account's name
// columns:
//   seq: the row's number
//   body: of the declaration, JSON
// cost: the log of one account
MATCH (entry:EdgeDPEntry)
WHERE entry.name = $name AND entry.seq > 0 AND entry.kind = 'attribute'
RETURN entry.seq AS seq, entry.body AS body
ORDER BY seq
