// The release of an asker's request, if it was debited before.
//
// parameters:
//   name: the graph's name
//   analyst: who asks, empty for a direct caller; each has identifiers of its own
//   requestId: the asker's identifier of the request
// columns:
//   releaseId, at, cost: of the debit, as in log_list
//   body: of the debit, JSON
//   answer: body of its answer, JSON; null if none is kept
//   leaseAlive: whether it is being drawn
// cost: one row, by an index
MATCH (debit:EdgeDPEntry {name: $name, analyst: $analyst, requestId: $requestId})
WHERE debit.kind = 'debit'
OPTIONAL MATCH (answer:EdgeDPEntry {releaseId: debit.releaseId, kind: 'answer'})
USING INDEX answer:EdgeDPEntry(releaseId, kind)
RETURN debit.releaseId AS releaseId, debit.at AS at, debit.cost AS cost, debit.body AS body, answer.body AS answer,
       EXISTS {
         MATCH (lease:EdgeDPLease {releaseId: debit.releaseId}) WHERE timestamp() < lease.until <= timestamp() + 30000
       } AS leaseAlive
