-- A graph's account.
--
-- complete: when empty
-- parameters:
--   name: the graph's name
-- columns:
--   name: the graph's name
--   delta: atto-delta, or null for a pure account
--   declared: the epsilon of the budget, nano-epsilon, or null where no budget is declared
--   budget, spent: in the account's currency: nano-epsilon where delta is null, else pico-rho
--   maxPerRelease: largest epsilon of one release, nano-epsilon, or null
--   relationshipType: whose relationships it accounts for, or null where edgedp loaded the graph
--   terms: which edges it is for, JSON; empty where they are gone, null where no row of the log says it
--   runs: what was spent within every run of windows, as text (calendars/runs.py); null without a calendar
--   entries: number of rows of its log
-- cost: one row
SELECT name AS name, delta AS delta, declared AS declared, budget AS budget, spent AS spent,
       maxPerRelease AS maxPerRelease, relationshipType AS relationshipType, entries AS entries, terms AS terms, runs AS runs,
       sound
FROM account
WHERE name = $name
