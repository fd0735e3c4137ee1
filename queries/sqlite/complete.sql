-- Whether every row of the registry, the accounts, the people and the shares is there and sound; SQLite alone needs it.
--
-- complete: never (it is the check)
-- parameters: none
-- columns:
--   complete: 1 or 0
-- cost: one row a graph, a name, a person and a share
SELECT coalesce((SELECT min(sound) FROM setting), 0) AND coalesce((SELECT min(sound) FROM graph), 1)
       AND coalesce((SELECT min(sound) FROM account), 1) AND coalesce((SELECT min(sound) FROM person), 1)
       AND coalesce((SELECT min(sound) FROM share), 1)
       AND (SELECT value = CAST((SELECT count(*) FROM graphs) AS TEXT) FROM settings WHERE key = 'graphs')
       AND (SELECT value = CAST((SELECT count(*) FROM accounts) AS TEXT) FROM settings WHERE key = 'accounts')
       AND (SELECT value = CAST((SELECT count(*) FROM people) AS TEXT) FROM settings WHERE key = 'people')
       AND (SELECT value = CAST((SELECT count(*) FROM shares) AS TEXT) FROM settings WHERE key = 'shares')
       AS complete
