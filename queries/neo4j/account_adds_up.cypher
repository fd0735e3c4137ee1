// Whether an account is what its log says; run it after account_lock.
//
// parameters:
//   name: the graph's name
// columns:
//   name: no row if spent is not what the releases cost, or rows are missing
// cost: one row and the last of its log; in Neo4j the log of one graph
MATCH (account:EdgeDPAccount {name: $name})
WHERE account.spent IS :: INTEGER NOT NULL AND account.entries IS :: INTEGER NOT NULL
  AND account.budget IS :: INTEGER AND account.declared IS :: INTEGER AND account.delta IS :: INTEGER
  AND account.maxPerRelease IS :: INTEGER AND (account.budget IS NULL) = (account.declared IS NULL)
OPTIONAL MATCH (entry:EdgeDPEntry)
WHERE entry.name = account.name AND entry.seq > 0
WITH account, count(entry) AS entries, coalesce(max(entry.seq), 0) AS last,
     sum(CASE WHEN entry.charge IS :: INTEGER NOT NULL THEN entry.charge ELSE 0 END) AS charged,
     count(CASE WHEN (entry.kind = 'debit') <> coalesce(entry.charge > 0, false) THEN 1 END) AS odd
WHERE account.spent = charged AND account.entries = entries AND last = entries AND odd = 0
RETURN account.name AS name
