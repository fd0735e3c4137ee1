-- Whether every row of the registry and of the accounts is there and sound; only SQLite needs it.
--
-- parameters: none
-- columns:
--   complete: 1 or 0
-- cost: one row a graph and a name
SELECT coalesce((SELECT min(sound) FROM setting), 0) AND coalesce((SELECT min(sound) FROM graph), 1)
       AND coalesce((SELECT min(sound) FROM account), 1)
       AND (SELECT value = CAST((SELECT count(*) FROM graphs) AS TEXT) FROM settings WHERE key = 'graphs')
       AND (SELECT value = CAST((SELECT count(*) FROM accounts) AS TEXT) FROM settings WHERE key = 'accounts')
       AS complete
