-- Whose account an address has already, or one inside or around it; run it after account_open.
--
-- complete: when empty
-- parameters:
--   name: the graph's name
--   relationshipType: the address
-- columns:
--   name, relationshipType: as in account_find; of other accounts alone
-- cost: one row an account
SELECT name AS name, relationshipType AS relationshipType, sound
FROM account
WHERE relationshipType IS NOT NULL AND overlap(relationshipType, $relationshipType) AND name <> $name
