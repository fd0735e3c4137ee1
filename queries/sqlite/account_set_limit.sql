-- Declare the largest epsilon of one release, at most the budget.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   maxPerRelease: nano-epsilon, or 0 for none
-- columns:
--   maxPerRelease: the new limit or null, no row if it was refused
-- cost: one row
UPDATE accounts
SET maxPerRelease = nullif($maxPerRelease, 0)
WHERE name = $name AND $maxPerRelease >= 0 AND (declared IS NULL OR $maxPerRelease <= declared)
RETURNING maxPerRelease AS maxPerRelease
