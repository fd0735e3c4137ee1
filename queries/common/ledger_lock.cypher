// Take the write lock of a ledger until the transaction ends; what is read after it is current.
//
// parameters:
//   name: the graph's name
// columns:
//   name: the graph's name, no row if it has no ledger
// cost: one row
MATCH (ledger:EdgeDPLedger {name: $name})
SET ledger.held = true
RETURN ledger.name AS name
