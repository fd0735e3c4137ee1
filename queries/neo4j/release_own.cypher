// The releases of an analyst, oldest first.
//
// parameters:
//   analyst: the analyst's name
//   name: the graph's name, or null for all graphs
//   releaseId: identifier of a release, or null for all
// columns:
//   name: the graph's name
//   seq, releaseId, at, requestId, cost: of the debit, as in log_list
//   body: of the debit, JSON
//   answer: body of its answer, JSON; null if the release was debited and none is kept
// cost: the releases of one analyst; in Neo4j all logs
MATCH (debit:EdgeDPEntry {analyst: $analyst})
WHERE debit.kind = 'debit' AND ($name IS NULL OR debit.name = $name)
  AND ($releaseId IS NULL OR debit.releaseId = $releaseId)
OPTIONAL MATCH (answer:EdgeDPEntry {releaseId: debit.releaseId, kind: 'answer'})
RETURN debit.name AS name, debit.seq AS seq, debit.releaseId AS releaseId, debit.at AS at,
       debit.requestId AS requestId, debit.cost AS cost, debit.body AS body, answer.body AS answer
ORDER BY at, name, seq
