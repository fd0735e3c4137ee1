-- Delete a graph's row; its account and its log stay.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
-- columns: none
-- cost: one row
DELETE FROM graphs
WHERE name = $name
