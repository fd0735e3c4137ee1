// How many releases of a graph were debited.
//
// parameters:
//   name: the graph's name
// columns:
//   releases: number of releases
// cost: one row; in Neo4j one row of an index a release, and the further debits of releases
MATCH (entry:EdgeDPEntry)
WHERE entry.name = $name AND entry.kind = 'debit' AND entry.seq > 0
WITH count(*) AS debits
OPTIONAL MATCH (further:EdgeDPEntry)
WHERE further.releaseId STARTS WITH 'part-' AND further.kind = 'debit' AND further.name = $name AND further.seq > 0
WITH debits, count(further) AS others
RETURN debits - others AS releases
