// Declare a budget of (epsilon, delta), unless more than that was spent or releases were paid in pure epsilon.
//
// parameters:
//   name: the graph's name
//   delta: atto-delta
//   declared: the epsilon of the budget, nano-epsilon
//   budgetRho: what both allow, pico-rho
//   changeId, at: identifier and time (ISO 8601, UTC) of the record
// columns:
//   budgetRho: the new budget, no row if it was refused
// cost: one row, one record
MATCH (ledger:EdgeDPLedger {name: $name})
WHERE ledger.spent = 0 AND (ledger.spentRho IS NULL OR ledger.spentRho <= $budgetRho)
SET ledger.delta = $delta, ledger.declared = $declared, ledger.budgetRho = $budgetRho, ledger.budget = NULL,
    ledger.spentRho = CASE WHEN ledger.spentRho IS NULL THEN 0 ELSE ledger.spentRho END
CREATE (:EdgeDPBudgetChange {changeId: $changeId, graph: $name, at: $at, budget: $declared, delta: $delta})
RETURN ledger.budgetRho AS budgetRho
