// Take the next version number of a graph.
//
// parameters:
//   name: the graph's name
// columns:
//   version: the new number, from 1
// cost: one row
MATCH (ledger:EdgeDPLedger {name: $name})
SET ledger.versions = ledger.versions + 1
RETURN ledger.versions AS version
