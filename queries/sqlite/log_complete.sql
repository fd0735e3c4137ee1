-- Whether a log has all rows that its account counts, each as it was written: one whose kind or analyst somebody edited
-- would be found by no statement that looks for these; SQLite alone needs it.
--
-- complete: never (it is the check)
-- parameters:
--   name: the account's name
-- columns:
--   complete: 1 or 0
-- cost: the log of one account
SELECT coalesce((SELECT entries FROM account WHERE name = $name), 0)
       = (SELECT count(*) FROM log WHERE name = $name AND seq > 0)
       AND coalesce((SELECT min(sound) FROM entry WHERE name = $name), 1) AS complete
