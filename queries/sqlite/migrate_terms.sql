-- Let the rows of an account's log say nothing of what it was, as those of an older version; only the migration of 0.1.0
-- runs it.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
-- columns: none
-- cost: one row
UPDATE accounts
SET terms = NULL
WHERE name = $name
