-- Add what a release costs to what its analyst spent of a share, if it fits; run it after share_adds_up, and
-- account_debit after it.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   analyst: the analyst's name
--   account: which of the graph's accounts
--   cost, price, whole, within, firstWindow, lastWindow: as in account_debit
-- columns:
--   name, analyst, account: the graph, who may ask, and which of its accounts
--   delta: the account's atto-delta when the share was declared, or null for a pure account
--   minPerRelease: smallest epsilon of one release of an agent, nano-epsilon; null for a person
--   declared: the epsilon of the share, nano-epsilon
--   budget, spent: in the account's currency: nano-epsilon where delta is null, else pico-rho
--   maxPerRelease: largest epsilon of one release of this analyst, nano-epsilon, or null; no row at all if the
--     release does not fit, or the account's delta is another than the share's
--   runs: what was spent within every run of windows, as text; null without a calendar
-- cost: one row
UPDATE shares
SET runs = CASE WHEN $within IS NOT NULL
      THEN charged(coalesce(runs, '[0,0]'), $within, $firstWindow, $lastWindow,
                   CASE WHEN delta IS NULL THEN $cost ELSE $price END) END,
    spent = spent + CASE WHEN delta IS NULL THEN $cost ELSE $price END,
    entry = (SELECT entries + 1 FROM accounts WHERE accounts.name = $name)
WHERE name = $name AND analyst = $analyst AND account = $account AND $cost > 0 AND $price > 0
  AND ($within IS NOT NULL AND (runs IS NOT NULL OR spent = 0) OR $within IS NULL AND runs IS NULL)
  AND CASE WHEN $within IS NULL THEN spent
      ELSE touched(coalesce(runs, '[0,0]'), $within, $firstWindow, $lastWindow) END
    + CASE WHEN delta IS NULL THEN $cost ELSE $price END <= budget
  AND (maxPerRelease IS NULL OR $whole <= maxPerRelease) AND (minPerRelease IS NULL OR $whole >= minPerRelease)
  AND EXISTS (SELECT 1 FROM accounts WHERE accounts.name = $name AND accounts.delta IS shares.delta)
RETURNING name AS name, analyst AS analyst, account AS account, delta AS delta, declared AS declared,
          budget AS budget, spent AS spent, maxPerRelease AS maxPerRelease,
          minPerRelease AS minPerRelease, runs AS runs
