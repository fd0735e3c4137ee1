// A graph's ledger.
//
// parameters:
//   name: the graph's name
// columns:
//   budget: nano-epsilon that may be spent, or null where none is declared
//   spent: nano-epsilon
//   maxPerRelease: largest cost of one release in nano-epsilon, or null
//   relationshipType: whose relationships it accounts for, or null where edgedp loaded the graph
// cost: one row
MATCH (ledger:EdgeDPLedger {name: $name})
RETURN ledger.budget AS budget, ledger.spent AS spent, ledger.maxPerRelease AS maxPerRelease,
       ledger.relationshipType AS relationshipType
