// Make sure that a ledger exists; what was spent before is kept.
//
// parameters:
//   name: the graph's name
// columns: none
// cost: one row
MERGE (ledger:EdgeDPLedger {name: $name})
ON CREATE SET ledger.spent = 0, ledger.held = false
