// Take the locks of every ledger of edgedp 0.1.0, and say what there is now; a migration goes on only if that is
// what was read before.
//
// parameters:
//   graphs, ledgers, releases, drawn, changes: how many rows of each were read, and how many releases had an answer
//   spent: sum of what the ledgers had spent, in both currencies
// columns:
//   ledgers: no row if something was written meanwhile
// cost: the rows of 0.1.0
OPTIONAL MATCH (ledger:EdgeDPLedger)
WHERE ledger.name IS NOT NULL
SET ledger.migrating = true
WITH count(ledger) AS ledgers, sum(CASE WHEN ledger.spent IS :: INTEGER NOT NULL THEN ledger.spent ELSE 0 END)
     + sum(CASE WHEN ledger.spentRho IS :: INTEGER NOT NULL THEN ledger.spentRho ELSE 0 END) AS spent
WHERE ledgers = $ledgers AND spent = $spent
  AND COUNT { MATCH (:EdgeDPGraph) } = $graphs
  AND COUNT { MATCH (:EdgeDPRelease) } = $releases
  AND COUNT { MATCH (release:EdgeDPRelease) WHERE release.nodes IS NOT NULL } = $drawn
  AND COUNT { MATCH (:EdgeDPBudgetChange) } = $changes
RETURN ledgers AS ledgers
