// The releases of a graph, oldest first.
//
// parameters:
//   name: the graph's name
// columns:
//   releaseId, at, by, requestId, cost, charge: of the debit, as in log_list
//   body: of the debit, JSON
//   answer: body of its answer, JSON; null if the release was debited and none is kept
// cost: one row a release
MATCH (debit:EdgeDPEntry)
WHERE debit.name = $name AND debit.seq > 0 AND debit.kind = 'debit'
OPTIONAL MATCH (answer:EdgeDPEntry {releaseId: debit.releaseId, kind: 'answer'})
RETURN debit.releaseId AS releaseId, debit.at AS at, debit.by AS by, debit.requestId AS requestId,
       debit.cost AS cost, debit.charge AS charge, debit.body AS body, answer.body AS answer
ORDER BY debit.seq
