-- Count one more row of the log; log_append or log_answer writes it in the same transaction.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
-- columns:
--   entries: the number of the new row, its seq; no row if there is no account
-- cost: one row
UPDATE accounts
SET entries = entries + 1
WHERE name = $name
RETURNING entries AS entries
