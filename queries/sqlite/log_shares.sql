-- What was debited to an account, by the graph that was asked and by who asked.
--
-- complete: its log
-- parameters:
--   name: the account's name
-- columns:
--   graph: name of the graph that was asked, JSON; null where it is the account's own
--   analyst: whose share was debited; empty for a direct caller
--   releases: number of releases
--   cost: nano-epsilon of them together
-- cost: one row an event of the log
SELECT CASE WHEN json_extract(body, '$.graph') IS NOT NULL THEN json_quote(json_extract(body, '$.graph')) END AS graph,
       coalesce(analyst, '') AS analyst,
       count(DISTINCT coalesce(json_extract(body, '$.part_of'), releaseId)) AS releases, sum(cost) AS cost,
       min(sound) AS sound
FROM entry
WHERE name = $name AND kind = 'debit'
GROUP BY 1, 2
ORDER BY min(seq)
