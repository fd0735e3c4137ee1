-- A page of the releases of an account, newest first.
--
-- complete: never (its totals are compared)
-- parameters:
--   name: the account's name
--   before: number of a row; those before it
--   limit: how many at most
-- columns:
--   name, seq, releaseId, at, by, analyst, requestId, cost, charge, total: of the debit, as in log_list
--   body: of the debit, JSON
--   answer: body of its answer, JSON; null if the release was debited and none is kept
-- cost: one row a release of the page; whoever reads it compares total and charge from row to row
WITH found AS (
  SELECT name, seq FROM log INDEXED BY log_debits
  WHERE name = $name AND kind = 'debit' AND seq < $before ORDER BY seq DESC LIMIT $limit
), answered AS (
  SELECT found.name AS name, found.seq AS seq, coalesce(
    (SELECT seq FROM log INDEXED BY log_release
     WHERE releaseId = debit.releaseId AND kind = 'answer' AND name = found.name),
    (SELECT seq FROM log INDEXED BY log_release_again
     WHERE releaseId = debit.releaseId AND kind = 'answer' AND name = found.name)
  ) AS at
  FROM found LEFT JOIN log AS debit ON debit.name = found.name AND debit.seq = found.seq
)
SELECT debit.name AS name, debit.seq AS seq, debit.releaseId AS releaseId, debit.at AS at, debit."by" AS "by",
       debit.analyst AS analyst, debit.requestId AS requestId, debit.cost AS cost, debit.charge AS charge,
       debit.total AS total, debit.body AS body, answer.body AS answer,
       coalesce(debit.sound AND debit.kind = 'debit'
                AND (answered.at IS NULL OR (answer.sound AND answer.kind = 'answer'
                                             AND answer.releaseId = debit.releaseId)), 0) AS sound
FROM answered
     LEFT JOIN entry AS debit ON debit.name = answered.name AND debit.seq = answered.seq
     LEFT JOIN entry AS answer ON answer.name = answered.name AND answer.seq = answered.at
ORDER BY answered.seq DESC
