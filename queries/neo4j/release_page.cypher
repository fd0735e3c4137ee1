// A page of the releases of an account, oldest first.
//
// parameters:
//   name: the account's name
//   since: number of a row; those after it
//   limit: how many at most
// columns:
//   name, seq, releaseId, at, by, analyst, requestId, cost, charge, total: of the debit, as in log_list
//   body: of the debit, JSON
//   answer: body of its answer, JSON; null if the release was debited and none is kept
// cost: one row a release of the page; whoever reads it compares total and charge from row to row
MATCH (debit:EdgeDPEntry) USING INDEX debit:EdgeDPEntry(name, kind, seq)
WHERE debit.name = $name AND debit.kind = 'debit' AND debit.seq > $since
WITH debit ORDER BY debit.name, debit.kind, debit.seq
LIMIT $limit
OPTIONAL MATCH (answer:EdgeDPEntry {releaseId: debit.releaseId, kind: 'answer'})
USING INDEX answer:EdgeDPEntry(releaseId, kind)
RETURN debit.name AS name, debit.seq AS seq, debit.releaseId AS releaseId, debit.at AS at, debit.by AS by,
       coalesce(debit.analyst, '') AS analyst, debit.requestId AS requestId, debit.cost AS cost,
       debit.charge AS charge, debit.total AS total, debit.body AS body, answer.body AS answer
ORDER BY seq
