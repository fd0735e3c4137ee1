// Declare a pure budget, unless more than that was spent or the ledger accounts by (epsilon, delta).
//
// parameters:
//   name: the graph's name
//   budget: nano-epsilon
//   changeId, at: identifier and time (ISO 8601, UTC) of the record
// columns:
//   budget: the new budget, no row if it was refused
// cost: one row, one record
MATCH (ledger:EdgeDPLedger {name: $name})
WHERE ledger.spent <= $budget AND ledger.delta IS NULL
SET ledger.budget = $budget
CREATE (:EdgeDPBudgetChange {changeId: $changeId, graph: $name, at: $at, budget: $budget})
RETURN ledger.budget AS budget
