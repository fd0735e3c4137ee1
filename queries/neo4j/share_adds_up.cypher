// Whether a share is what the log says that its analyst spent; run it after account_lock.
//
// parameters:
//   name: the graph's name
//   analyst: the analyst's name
//   account: which of the graph's accounts
// columns:
//   analyst: no row if spent is not what the analyst's releases cost
// cost: the row of the analyst's last debit; the log of one graph where an older version wrote it
MATCH (share:EdgeDPShare {name: $name, analyst: $analyst, account: $account})
WHERE share.spent IS :: INTEGER NOT NULL AND share.budget IS :: INTEGER NOT NULL
  AND share.declared IS :: INTEGER NOT NULL AND share.delta IS :: INTEGER AND share.maxPerRelease IS :: INTEGER
  AND share.minPerRelease IS :: INTEGER
OPTIONAL MATCH (latest:EdgeDPEntry {name: $name, seq: share.entry})
WHERE latest.kind = 'debit' AND latest.analyst = $analyst
WITH share, latest, CASE WHEN share.entry IS NULL THEN $name END AS wanted
OPTIONAL MATCH (entry:EdgeDPEntry)
WHERE entry.name = wanted AND entry.seq > 0 AND entry.analyst = $analyst
WITH share, latest, sum(CASE WHEN entry.charge IS :: INTEGER NOT NULL THEN entry.charge ELSE 0 END) AS charged
WHERE share.spent = CASE WHEN share.entry IS NULL THEN charged ELSE latest.shareTotal END
  AND (share.entry IS NULL OR coalesce(share.runs, '') = coalesce(latest.shareRuns, ''))
RETURN share.analyst AS analyst
