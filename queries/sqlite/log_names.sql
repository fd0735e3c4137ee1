-- Which accounts have a log, whether or not they are there.
--
-- complete: never (a check compares it with the accounts)
-- parameters: none
-- columns:
--   name: the account's name
--   entries: number of rows of its log
-- cost: all logs
SELECT name AS name, max(seq) AS entries
FROM log
GROUP BY name
ORDER BY name
