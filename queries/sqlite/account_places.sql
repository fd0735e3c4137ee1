-- Which relationship types the accounts are for; an account outlives its graph.
--
-- complete: always
-- parameters: none
-- columns:
--   name, relationshipType: as in account_find; only accounts of registered graphs
-- cost: one row an account
SELECT name AS name, relationshipType AS relationshipType, sound
FROM account
WHERE relationshipType IS NOT NULL
