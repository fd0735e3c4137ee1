-- Say which edges an account is for.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   relationshipType: type of a registered graph; null for any other, which leaves the type that is there
--   terms: which edges, JSON; empty where they are gone
--   runs: what was spent within every run, where nothing was; null without a calendar. It stays where something was
-- columns: none
-- cost: one row
UPDATE accounts
SET relationshipType = coalesce($relationshipType, relationshipType), terms = $terms,
    runs = CASE WHEN spent = 0 THEN $runs ELSE runs END
WHERE name = $name
