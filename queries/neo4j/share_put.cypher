// Declare a share, new or in place of the one before, unless more than that was spent of it or the account's delta
// is another; what the analyst spent is what the log says. Run it after account_lock.
//
// parameters:
//   name: the graph's name
//   analyst: the analyst's name
//   account: which of the graph's accounts
//   delta: the account's atto-delta, or null for a pure account
//   declared: the epsilon of the share, nano-epsilon
//   budget: what both allow, in the currency that delta gives
//   maxPerRelease: largest epsilon of one release, nano-epsilon, or null
//   minPerRelease: smallest epsilon of one release of an agent, nano-epsilon; null for a person
//   filters: 1 where the analyst may write conditions; null otherwise
// columns:
//   analyst: no row if it was refused
// cost: the debits of one analyst; in Neo4j the log of one graph
MATCH (account:EdgeDPAccount {name: $name})
WHERE (account.delta = $delta OR (account.delta IS NULL AND $delta IS NULL)) AND $declared >= 0
  AND ($maxPerRelease IS NULL OR $maxPerRelease > 0) AND ($minPerRelease IS NULL OR $minPerRelease > 0)
OPTIONAL MATCH (entry:EdgeDPEntry)
WHERE entry.name = account.name AND entry.seq > 0 AND entry.analyst = $analyst
WITH account, sum(coalesce(entry.charge, 0)) AS charged, max(entry.seq) AS last
OPTIONAL MATCH (debit:EdgeDPEntry {name: $name, seq: last})
OPTIONAL MATCH (before:EdgeDPShare {name: $name, analyst: $analyst, account: $account})
WITH charged, before, debit.shareRuns AS kept, toInteger(split(substring(debit.shareRuns, 1), ',')[0]) AS keptDearest,
     toInteger(split(substring(before.runs, 1), ',')[0]) AS dearest
WHERE coalesce(keptDearest, charged) <= $budget AND coalesce(dearest, before.spent, keptDearest, charged) <= $budget
MERGE (share:EdgeDPShare {name: $name, analyst: $analyst, account: $account})
ON CREATE SET share.spent = charged, share.runs = kept
SET share.delta = $delta, share.declared = $declared, share.budget = $budget, share.maxPerRelease = $maxPerRelease,
    share.minPerRelease = $minPerRelease, share.filters = $filters
RETURN share.analyst AS analyst
