// The ledgers of edgedp 0.1.0.
//
// parameters: none
// columns:
//   name: the graph's name
//   budget, spent: nano-epsilon
//   maxPerRelease: nano-epsilon, or null
//   delta, declared, budgetRho, spentRho: atto-delta, nano-epsilon and pico-rho of a ledger that has a delta
//   relationshipType: whose relationships it accounts for, or null where edgedp loaded the graph
// cost: one row a ledger
MATCH (ledger:EdgeDPLedger)
WHERE ledger.name IS NOT NULL
RETURN ledger.name AS name, ledger.budget AS budget, ledger.spent AS spent, ledger.maxPerRelease AS maxPerRelease,
       ledger.delta AS delta, ledger.declared AS declared, ledger.budgetRho AS budgetRho,
       ledger.spentRho AS spentRho, ledger.relationshipType AS relationshipType
ORDER BY name
