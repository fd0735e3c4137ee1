-- Whether nothing was written to the log of an account since it was read; run it after account_lock.
--
-- complete: never (no row is a refusal)
-- parameters:
--   name: the account's name
--   entries: number of rows of its log
-- columns:
--   name: no row if its log has another number of rows
-- cost: one row
SELECT name AS name, sound
FROM account
WHERE name = $name AND entries = $entries
