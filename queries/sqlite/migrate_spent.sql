-- Add what a release of 0.1.0 cost to what was spent, without asking whether it fits: it was paid.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   cost, price: as in account_debit
-- columns: none
-- cost: one row
UPDATE accounts
SET spent = spent + CASE WHEN delta IS NULL THEN $cost ELSE $price END, entries = entries + 1
WHERE name = $name
