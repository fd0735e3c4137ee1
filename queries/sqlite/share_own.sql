-- All shares of an analyst.
--
-- complete: always
-- parameters:
--   analyst: the analyst's name
-- columns:
--   name, analyst, account: the graph, who may ask, and which of its accounts
--   delta: the account's atto-delta when the share was declared, or null for a pure account
--   minPerRelease: smallest epsilon of one release of an agent, nano-epsilon; null for a person
--   filters: 1 where the analyst may write conditions; null otherwise
--   declared: the epsilon of the share, nano-epsilon
--   budget, spent: in the account's currency: nano-epsilon where delta is null, else pico-rho
--   maxPerRelease: largest epsilon of one release of this analyst, nano-epsilon, or null
--   runs: what was spent within every run of windows, as text; null without a calendar
-- cost: one row a share
SELECT name AS name, analyst AS analyst, account AS account, delta AS delta, declared AS declared, budget AS budget,
       spent AS spent, maxPerRelease AS maxPerRelease, minPerRelease AS minPerRelease, filters AS filters,
       runs AS runs,
       sound
FROM share
WHERE analyst = $analyst
ORDER BY name, account
