-- How many releases of a graph were debited.
--
-- complete: never (it compares with the account)
-- parameters:
--   name: the graph's name
-- columns:
--   releases: number of releases
-- cost: one row; in Neo4j one row of an index a release, and the further debits of releases
SELECT coalesce(tally.releases, 0) AS releases,
       account.sound AND coalesce(tally.sound, 1) AND account.entries = coalesce(tally.entries, 0) AS sound
FROM account LEFT JOIN tally ON tally.name = account.name
WHERE account.name = $name
