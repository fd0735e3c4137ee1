// A graph's ledger.
//
// parameters:
//   name: the graph's name
// columns:
//   budget: nano-epsilon that may be spent, or null where none is declared
//   spent: nano-epsilon
//   maxPerRelease: largest cost of one release in nano-epsilon, or null
//   delta, declared, budgetRho, spentRho: for a ledger that accounts by (epsilon, delta): atto-delta, the declared
//     nano-epsilon, and pico-rho; else null
//   relationshipType: whose relationships it accounts for, or null where edgedp loaded the graph
// cost: one row
MATCH (ledger:EdgeDPLedger {name: $name})
RETURN ledger.budget AS budget, ledger.spent AS spent, ledger.maxPerRelease AS maxPerRelease,
       ledger.delta AS delta, ledger.declared AS declared, ledger.budgetRho AS budgetRho,
       ledger.spentRho AS spentRho, ledger.relationshipType AS relationshipType
