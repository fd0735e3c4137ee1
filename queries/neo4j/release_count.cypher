// How many releases of a graph were debited.
//
// parameters:
//   name: the graph's name
// columns:
//   releases: number of releases
// cost: the log of one graph
MATCH (entry:EdgeDPEntry)
WHERE entry.name = $name AND entry.seq > 0 AND entry.kind = 'debit'
RETURN count(entry) AS releases
