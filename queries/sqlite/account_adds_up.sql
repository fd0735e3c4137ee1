-- Whether an account is what its log says; run it after account_lock.
--
-- complete: never (no row is a refusal)
-- parameters:
--   name: the graph's name
-- columns:
--   name: no row if spent is not what the releases cost, or rows are missing
-- cost: one row and the last of its log; in Neo4j the log of one graph
SELECT account.name AS name, account.sound AND coalesce(latest.sound, 1) AS sound
FROM account LEFT JOIN entry AS latest ON latest.name = account.name AND latest.seq = account.entries
WHERE account.name = $name AND account.spent = coalesce(latest.total, 0)
  AND account.entries = (SELECT coalesce(max(seq), 0) FROM log WHERE log.name = $name)
