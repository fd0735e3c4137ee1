-- Whether the graph is still the version that was planned for; run it after account_lock.
--
-- complete: when empty
-- parameters:
--   name: the graph's name
--   version: the version
-- columns:
--   name: no row if the graph was replaced or dropped
-- cost: one row
SELECT name AS name, sound
FROM graph
WHERE name = $name AND version = $version
