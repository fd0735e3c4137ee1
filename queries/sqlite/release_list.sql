-- The releases of a graph, oldest first.
--
-- complete: its log
-- parameters:
--   name: the graph's name
-- columns:
--   releaseId, at, by, requestId, cost, charge: of the debit, as in log_list
--   body: of the debit, JSON
--   answer: body of its answer, JSON; null if the release was debited and none is kept
-- cost: one row a release
SELECT debit.releaseId AS releaseId, debit.at AS at, debit."by" AS "by", debit.requestId AS requestId,
       debit.cost AS cost, debit.charge AS charge, debit.body AS body, answer.body AS answer,
       debit.sound AND coalesce(answer.sound, 1) AS sound
FROM entry AS debit
     LEFT JOIN entry AS answer
     ON answer.name = debit.name AND answer.releaseId = debit.releaseId AND answer.kind = 'answer'
WHERE debit.name = $name AND debit.kind = 'debit'
ORDER BY debit.seq
