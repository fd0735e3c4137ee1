-- A page of the log of a graph, oldest first.
--
-- complete: never (its numbers are compared)
-- parameters:
--   name: the graph's name
--   since: number of a row; those after it
--   limit: how many at most
-- columns:
--   name: the graph's name
--   seq: 1, 2, 3 ... of this graph
--   kind: load, replace, drop, register, forget, budget, limit, grant, attribute, account, debit, answer or exact
--   at: time, ISO 8601, UTC
--   by: who caused it
--   releaseId: of a debit and its answer, else null
--   analyst: whose share a debit was of; empty for a direct caller and for other rows
--   requestId: the asker's identifier of the request, of a debit, or null
--   cost: nano-epsilon, of a debit, else null
--   charge: what a debit added to spent, in the account's currency, else null
--   body: JSON, public facts only; of a debit kind, parameters and public, of an answer what was released
--   total: spent after it, in the account's currency
--   prev, hash: SHA-256 of the row before and of this one, hex; null in Neo4j
-- cost: one row an event of the page
SELECT name AS name, seq AS seq, kind AS kind, at AS at, "by" AS "by", releaseId AS releaseId, requestId AS requestId,
       cost AS cost, charge AS charge, body AS body, total AS total, analyst AS analyst, prev AS prev,
       hash AS hash, sound
FROM entry
WHERE name = $name AND seq > $since
ORDER BY seq
LIMIT $limit
