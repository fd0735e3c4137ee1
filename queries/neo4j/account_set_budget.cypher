// Declare a budget, unless more than that was spent, or what was spent is in the other currency.
//
// parameters:
//   name: the graph's name
//   delta: atto-delta, or null for a pure account
//   declared: the epsilon of the budget, nano-epsilon
//   budget: what both allow, in the currency that delta gives
// columns:
//   budget: the new budget, no row if it was refused
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
WHERE CASE WHEN account.runs IS NULL THEN account.spent
      ELSE toInteger(split(substring(account.runs, 1), ',')[0]) END <= $budget AND $declared >= 0
  AND (account.spent = 0 OR (account.delta IS NULL) = ($delta IS NULL))
SET account.delta = $delta, account.declared = $declared, account.budget = $budget
RETURN account.budget AS budget
