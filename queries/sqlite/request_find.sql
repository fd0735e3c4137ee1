-- The release of an asker's request, if it was debited before.
--
-- complete: never (it compares two indexes and counts the rows)
-- parameters:
--   name: the graph's name
--   analyst: who asks, empty for a direct caller; each has identifiers of its own
--   requestId: the asker's identifier of the request
-- columns:
--   releaseId, at, cost: of the debit, as in log_list
--   body: of the debit, JSON
--   answer: body of its answer, JSON; null if none is kept
--   leaseAlive: whether it is being drawn
-- cost: one row, by two indexes; where there is no answer, the rows after it
--
-- Neither index is believed alone: where one of them names a row that is not there or of another request, and where an
-- answer is missing and rows are too, the ledger is damaged. The plus
-- keeps an index away, which NOT INDEXED does not in a table without row numbers.
WITH named AS (
  SELECT name, seq FROM log INDEXED BY log_request
  WHERE name = $name AND analyst = $analyst AND requestId = $requestId
  UNION
  SELECT name, seq FROM log INDEXED BY log_request_again
  WHERE name = $name AND analyst = $analyst AND requestId = $requestId
), answered AS (
  SELECT named.name AS name, named.seq AS seq, coalesce(
    (SELECT found.seq FROM log AS found INDEXED BY log_release
     WHERE found.releaseId = debit.releaseId AND found.kind = 'answer' AND found.name = named.name
       AND found.seq > named.seq),
    (SELECT found.seq FROM log AS found
     WHERE found.name = named.name AND found.seq > named.seq AND +found.kind = 'answer'
       AND +found.releaseId = debit.releaseId),
    -1
  ) AS at
  FROM named LEFT JOIN log AS debit ON debit.name = named.name AND debit.seq = named.seq
)
SELECT debit.releaseId AS releaseId, debit.at AS at, debit.cost AS cost, debit.body AS body, answer.body AS answer,
       EXISTS (SELECT 1 FROM leases AS lease
               WHERE lease.releaseId = debit.releaseId
                 AND leased(lease.boot, lease.ticks, lease.until)) AS leaseAlive,
       coalesce(account.sound AND debit.sound AND debit.requestId = $requestId AND debit.analyst = $analyst
                AND debit.kind = 'debit'
                AND CASE WHEN answered.at > 0
                    THEN answer.sound AND answer.kind = 'answer' AND answer.releaseId = debit.releaseId
                    ELSE (SELECT count(*) FROM log AS found
                          WHERE found.name = answered.name AND found.seq > answered.seq) = account.entries - answered.seq
                    END, 0) AS sound
FROM answered
     LEFT JOIN entry AS debit ON debit.name = answered.name AND debit.seq = answered.seq
     LEFT JOIN entry AS answer ON answer.name = answered.name AND answer.seq = answered.at
     LEFT JOIN account ON account.name = answered.name
