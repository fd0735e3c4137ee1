-- The releases of an analyst, oldest first.
--
-- complete: never (what is hidden is not shown)
-- parameters:
--   analyst: the analyst's name
--   name: the graph's name, or null for all graphs
--   releaseId: identifier of a release, or null for all
-- columns:
--   name: the graph's name
--   seq, releaseId, at, requestId, cost: of the debit, as in log_list
--   body: of the debit, JSON
--   answer: body of its answer, JSON; null if the release was debited and none is kept
-- cost: the releases of one analyst; in Neo4j all logs
SELECT debit.name AS name, debit.seq AS seq, debit.releaseId AS releaseId, debit.at AS at,
       debit.requestId AS requestId, debit.cost AS cost, debit.body AS body, answer.body AS answer,
       debit.sound AND coalesce(answer.sound, 1) AS sound
FROM entry AS debit
     LEFT JOIN entry AS answer
     ON answer.name = debit.name AND answer.releaseId = debit.releaseId AND answer.kind = 'answer'
WHERE debit.analyst = $analyst AND debit.kind = 'debit' AND ($name IS NULL OR debit.name = $name)
  AND ($releaseId IS NULL OR debit.releaseId = $releaseId)
ORDER BY debit.at, debit.name, debit.seq
