-- How many releases of a graph were debited.
--
-- complete: its log
-- parameters:
--   name: the graph's name
-- columns:
--   releases: number of releases
-- cost: the log of one graph
SELECT coalesce(sum(kind = 'debit'), 0) AS releases, coalesce(min(sound), 1) AS sound
FROM entry
WHERE name = $name
