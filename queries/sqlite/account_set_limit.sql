-- Declare the largest epsilon of one release, at most the budget.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   maxPerRelease: nano-epsilon, positive
-- columns:
--   maxPerRelease: the new limit, no row if it was refused
-- cost: one row
UPDATE accounts
SET maxPerRelease = $maxPerRelease
WHERE name = $name AND $maxPerRelease > 0 AND (declared IS NULL OR $maxPerRelease <= declared)
RETURNING maxPerRelease AS maxPerRelease
