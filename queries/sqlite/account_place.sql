-- Say whose relationships an account is for.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   relationshipType: type of the registered graph, or null
-- columns: none
-- cost: one row
UPDATE accounts
SET relationshipType = $relationshipType
WHERE name = $name
