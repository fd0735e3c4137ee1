-- Count what a release costs in the ledger of a graph that owns no account: that of the graph that it is read from is
-- debited. Run it after account_adds_up, and log_debit after it.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   cost: the release's epsilon, nano-epsilon, positive
--   price: what it costs in pico-rho, positive; added instead of cost where the ledger has a delta
--   within, firstWindow, lastWindow: as in account_debit
-- columns:
--   name: the graph's name
--   spent: what was asked for under the name
--   entries: number of rows of its log; no row at all if it is an account of relationships, or has a budget, left by an
--     earlier graph of the name, that this does not fit
-- cost: one row
UPDATE accounts
SET spent = spent + CASE WHEN delta IS NULL THEN $cost ELSE $price END, entries = entries + 1,
    terms = coalesce(terms, ''),
    runs = CASE WHEN runs IS NOT NULL
      THEN charged(runs, $within, $firstWindow, $lastWindow, CASE WHEN delta IS NULL THEN $cost ELSE $price END) END
WHERE name = $name AND $cost > 0 AND $price > 0 AND relationshipType IS NULL
  AND (runs IS NULL) = ($within IS NULL)
  AND (budget IS NULL OR spent + CASE WHEN delta IS NULL THEN $cost ELSE $price END <= budget)
RETURNING name AS name, spent AS spent, entries AS entries
