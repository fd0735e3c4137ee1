// How many releases of a graph were debited.
//
// parameters:
//   name: the graph's name
// columns:
//   releases: number of releases
// cost: one row; in Neo4j one row of an index a release
MATCH (entry:EdgeDPEntry)
WHERE entry.name = $name AND entry.kind = 'debit' AND entry.seq > 0
RETURN count(*) AS releases
