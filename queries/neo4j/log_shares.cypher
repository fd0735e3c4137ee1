// What was debited to an account, by the graph that was asked and by who asked.
//
// parameters:
//   name: the account's name
// columns:
//   graph: name of the graph that was asked, JSON; null where it is the account's own
//   analyst: whose share was debited; empty for a direct caller
//   releases: number of releases
//   cost: nano-epsilon of them together
// cost: one row an event of the log
MATCH (entry:EdgeDPEntry)
WHERE entry.name = $name AND entry.kind = 'debit' AND entry.seq > 0
WITH entry, split(entry.body, '"part_of": "') AS parts
WITH entry, CASE WHEN size(parts) > 1 THEN last(parts) END AS part
WITH entry, part, split(part, '", "graph": ') AS asked
WITH entry, coalesce(split(part, '"')[0], entry.releaseId) AS release,
     CASE WHEN size(asked) > 1 THEN left(last(asked), size(last(asked)) - 1) END AS graph
WITH graph, coalesce(entry.analyst, '') AS analyst, count(DISTINCT release) AS releases, sum(entry.cost) AS cost,
     min(entry.seq) AS first
RETURN graph, analyst, releases, cost
ORDER BY first
