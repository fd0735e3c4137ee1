// Make room for old_ledger_constraint: two ledgers of 0.1.0 may hold the same value.
//
// parameters: none
// columns: none
// cost: one row a ledger of 0.1.0
MATCH (ledger:EdgeDPLedger)
WHERE ledger.held IS NOT NULL AND ledger.name IS NOT NULL
REMOVE ledger.held
