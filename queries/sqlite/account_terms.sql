-- Whether an account is for the edges that the registry has; run it after account_lock and graph_current.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   terms: which edges, JSON, from the row of the registry that was planned for
-- columns:
--   name: no row if the account, or the last row of its log, is for others
-- cost: one row and the last of its log
--
-- An account of an older version, whose log does not say it either, is for these from now on.
UPDATE accounts
SET terms = $terms
WHERE name = $name AND (
  terms = $terms AND (SELECT coalesce(terms, $terms) FROM log WHERE log.name = $name AND seq = entries) = $terms
  OR terms IS NULL AND (SELECT terms IS NULL FROM log WHERE log.name = $name AND seq = entries)
)
RETURNING name AS name
