-- Whether an account protects still what it was read to protect; run it after account_lock.
--
-- complete: never (no row is a refusal)
-- parameters:
--   name: the account's name
--   unit: what terms say of it, a part of their text
--   there: whether they say it
-- columns:
--   name: no row if it protects something else by now
-- cost: one row
SELECT name AS name, sound
FROM account
WHERE name = $name AND (instr(coalesce(terms, ''), $unit) > 0) = $there
