-- Which relationship types the accounts are for; an account outlives its graph.
--
-- complete: always
-- parameters: none
-- columns:
--   name, relationshipType: as in account_find; only accounts of registered graphs
--   lost: 0; a row that is gone is noticed as damage
-- cost: one row an account
SELECT name AS name, relationshipType AS relationshipType, 0 AS lost, sound
FROM account
WHERE relationshipType IS NOT NULL
