// Whether a share is what the log says that its analyst spent; run it after account_lock.
//
// parameters:
//   name: the graph's name
//   analyst: the analyst's name
//   account: which of the graph's accounts
// columns:
//   analyst: no row if spent is not what the analyst's releases cost
// cost: the debits of one analyst; in Neo4j the log of one graph
MATCH (share:EdgeDPShare {name: $name, analyst: $analyst, account: $account})
WHERE share.spent IS :: INTEGER NOT NULL AND share.budget IS :: INTEGER NOT NULL
  AND share.declared IS :: INTEGER NOT NULL AND share.delta IS :: INTEGER AND share.maxPerRelease IS :: INTEGER
OPTIONAL MATCH (entry:EdgeDPEntry)
WHERE entry.name = share.name AND entry.seq > 0 AND entry.analyst = share.analyst
WITH share, sum(CASE WHEN entry.charge IS :: INTEGER NOT NULL THEN entry.charge ELSE 0 END) AS charged
WHERE share.spent = charged
RETURN share.analyst AS analyst
