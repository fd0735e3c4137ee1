// Say whose relationships a ledger accounts for.
//
// parameters:
//   name: the graph's name
//   relationshipType: type of the registered graph, or null
// columns: none
// cost: one row
MATCH (ledger:EdgeDPLedger {name: $name})
SET ledger.relationshipType = $relationshipType
