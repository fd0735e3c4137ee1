// The ledger's table; amounts in nano-epsilon, or in pico-rho where it says so.
//
// parameters: none
// columns: none
// cost: none
CREATE NODE TABLE IF NOT EXISTS EdgeDPLedger(
  name STRING PRIMARY KEY, budget INT64, spent INT64, maxPerRelease INT64, held BOOLEAN, relationshipType STRING,
  delta INT64, declared INT64, budgetRho INT64, spentRho INT64)
