-- The release of an asker's request, if it was debited before.
--
-- parameters:
--   name: the graph's name
--   analyst: who asks, empty for a direct caller; each has identifiers of its own
--   requestId: the asker's identifier of the request
-- columns:
--   releaseId, at, cost: of the debit, as in log_list
--   body: of the debit, JSON
--   answer: body of its answer, JSON; null if none is kept
--   leaseAlive: whether it is being drawn
-- cost: one row, by an index
SELECT debit.releaseId AS releaseId, debit.at AS at, debit.cost AS cost, debit.body AS body, answer.body AS answer,
       EXISTS (SELECT 1 FROM leases AS lease
               WHERE lease.releaseId = debit.releaseId
                 AND lease.until > CAST(strftime('%s', 'now') AS INTEGER)) AS leaseAlive,
       debit.sound AND coalesce(answer.sound, 1) AS sound
FROM entry AS debit
     LEFT JOIN entry AS answer
     ON answer.name = debit.name AND answer.releaseId = debit.releaseId AND answer.kind = 'answer'
WHERE debit.name = $name AND debit.analyst = $analyst AND debit.requestId = $requestId
  AND debit.kind = 'debit'
