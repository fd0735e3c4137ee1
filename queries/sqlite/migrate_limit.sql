-- Take over the limit of a release that 0.1.0 kept, which might be above the budget.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   maxPerRelease: nano-epsilon
-- columns: none
-- cost: one row
UPDATE accounts
SET maxPerRelease = $maxPerRelease
WHERE name = $name
