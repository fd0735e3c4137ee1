-- Declare a budget, unless more than that was spent, or what was spent is in the other currency.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   delta: atto-delta, or null for a pure account
--   declared: the epsilon of the budget, nano-epsilon
--   budget: what both allow, in the currency that delta gives
-- columns:
--   budget: the new budget, no row if it was refused
-- cost: one row
UPDATE accounts
SET delta = $delta, declared = $declared, budget = $budget
WHERE name = $name AND CASE WHEN runs IS NULL THEN spent ELSE dearest(runs) END <= $budget
  AND $declared >= 0 AND (spent = 0 OR (delta IS NULL) = ($delta IS NULL))
RETURNING budget AS budget
