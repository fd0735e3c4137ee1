// The ledger's table; amounts in nano-epsilon.
//
// parameters: none
// columns: none
// cost: none
CREATE NODE TABLE IF NOT EXISTS EdgeDPLedger(
  name STRING PRIMARY KEY, budget INT64, spent INT64, maxPerRelease INT64, held BOOLEAN, relationshipType STRING)
