// One release, by its identifier.
//
// parameters:
//   releaseId: identifier of the release
// columns:
//   name, seq, releaseId, at, by, analyst, requestId, cost, charge, total: of the debit, as in log_list
//   body: of the debit, JSON
//   answer: body of its answer, JSON; null if the release was debited and none is kept
// cost: one row, by an index
MATCH (debit:EdgeDPEntry {releaseId: $releaseId, kind: 'debit'})
OPTIONAL MATCH (answer:EdgeDPEntry {releaseId: debit.releaseId, kind: 'answer'})
USING INDEX answer:EdgeDPEntry(releaseId, kind)
RETURN debit.name AS name, debit.seq AS seq, debit.releaseId AS releaseId, debit.at AS at, debit.by AS by,
       coalesce(debit.analyst, '') AS analyst, debit.requestId AS requestId, debit.cost AS cost,
       debit.charge AS charge, debit.total AS total, debit.body AS body, answer.body AS answer
