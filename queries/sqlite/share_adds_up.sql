-- Whether a share is what the log says that its analyst spent; run it after account_lock.
--
-- complete: never (no row is a refusal)
-- parameters:
--   name: the graph's name
--   analyst: the analyst's name
--   account: which of the graph's accounts
-- columns:
--   analyst: no row if spent is not what the analyst's releases cost
-- cost: the debits of one analyst; in Neo4j the log of one graph
SELECT analyst AS analyst, sound
FROM share
WHERE name = $name AND analyst = $analyst AND account = $account
  AND spent = (SELECT coalesce(sum(charge), 0) FROM log WHERE analyst = $analyst AND name = $name)
