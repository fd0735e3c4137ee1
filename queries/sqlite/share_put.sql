-- Declare a share, new or in place of the one before, unless more than that was spent of it or the account's delta
-- is another; what the analyst spent is what the log says. Run it after account_lock.
--
-- complete: its log
-- parameters:
--   name: the graph's name
--   analyst: the analyst's name
--   account: which of the graph's accounts
--   delta: the account's atto-delta, or null for a pure account
--   declared: the epsilon of the share, nano-epsilon
--   budget: what both allow, in the currency that delta gives
--   maxPerRelease: largest epsilon of one release, nano-epsilon, or null
--   minPerRelease: smallest epsilon of one release of an agent, nano-epsilon; null for a person
--   filters: 1 where the analyst may write conditions; null otherwise
-- columns:
--   analyst: no row if it was refused
-- cost: the debits of one analyst; in Neo4j the log of one graph
INSERT INTO shares (name, analyst, account, delta, declared, budget, spent, maxPerRelease, minPerRelease, filters,
                    runs)
SELECT $name, $analyst, $account, $delta, $declared, $budget,
       coalesce((SELECT sum(charge) FROM log WHERE name = $name AND +analyst = $analyst), 0), $maxPerRelease,
       $minPerRelease, $filters,
       (SELECT shareRuns FROM log WHERE name = $name AND +analyst = $analyst ORDER BY seq DESC LIMIT 1)
WHERE coalesce((SELECT iif(shareRuns IS NULL, NULL, dearest(shareRuns)) FROM log
                WHERE name = $name AND +analyst = $analyst ORDER BY seq DESC LIMIT 1),
               coalesce((SELECT sum(charge) FROM log WHERE name = $name AND +analyst = $analyst), 0)) <= $budget
  AND $declared >= 0 AND ($maxPerRelease IS NULL OR $maxPerRelease > 0) AND ($minPerRelease IS NULL OR $minPerRelease > 0)
  AND EXISTS (SELECT 1 FROM accounts WHERE name = $name AND delta IS $delta)
ON CONFLICT (name, analyst, account) DO UPDATE
SET delta = excluded.delta, declared = excluded.declared, budget = excluded.budget,
    maxPerRelease = excluded.maxPerRelease, minPerRelease = excluded.minPerRelease,
    filters = excluded.filters
WHERE CASE WHEN shares.runs IS NULL THEN shares.spent ELSE dearest(shares.runs) END <= excluded.budget
RETURNING analyst AS analyst
