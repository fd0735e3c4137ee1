-- Add what a release costs to what was spent, if it fits; run it after account_adds_up, and log_debit after it.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   cost: the release's epsilon, nano-epsilon, positive
--   price: what it costs in pico-rho, positive; added instead of cost where the account has a delta
--   whole: the epsilon of the release as a whole so far, nano-epsilon: what the limit is for
--   within: of an account with a calendar, of how many consecutive windows a run is; null of every other account
--   firstWindow, lastWindow: the windows that are read; null and null for everything
-- columns:
--   name: the graph's name
--   delta: atto-delta, or null for a pure account
--   declared: the epsilon of the budget, nano-epsilon, or null where no budget is declared
--   budget, spent: in the account's currency: nano-epsilon where delta is null, else pico-rho
--   maxPerRelease: largest epsilon of one release, nano-epsilon, or null
--   relationshipType: whose relationships it accounts for, or null where edgedp loaded the graph
--   runs: what was spent within every run of windows, as text (calendars/runs.py); null without a calendar
--   entries: number of rows of its log; no row at all if the release does not fit
-- cost: one row
--
-- Of an account with a calendar the budget is for each run of windows: what was spent of the dearest one that the
-- release overlaps is compared with it. No row of the log is read.
UPDATE accounts
SET spent = spent + CASE WHEN delta IS NULL THEN $cost ELSE $price END, entries = entries + 1,
    terms = coalesce(terms, ''),
    runs = CASE WHEN runs IS NOT NULL
      THEN charged(runs, $within, $firstWindow, $lastWindow, CASE WHEN delta IS NULL THEN $cost ELSE $price END) END
WHERE name = $name AND $cost > 0 AND $price > 0 AND budget IS NOT NULL
  AND (runs IS NULL) = ($within IS NULL)
  AND CASE WHEN runs IS NULL THEN spent ELSE touched(runs, $within, $firstWindow, $lastWindow) END
    + CASE WHEN delta IS NULL THEN $cost ELSE $price END <= budget
  AND (maxPerRelease IS NULL OR $whole <= maxPerRelease)
RETURNING name AS name, delta AS delta, declared AS declared, budget AS budget, spent AS spent,
          maxPerRelease AS maxPerRelease, relationshipType AS relationshipType, entries AS entries, runs AS runs
