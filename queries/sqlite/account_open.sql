-- Make sure that an account exists; what was spent before is kept.
--
-- complete: always
-- parameters:
--   name: the graph's name
-- columns: none
-- cost: one row
INSERT INTO accounts (name, spent, entries, terms)
VALUES ($name, 0, 0, '')
ON CONFLICT (name) DO NOTHING
