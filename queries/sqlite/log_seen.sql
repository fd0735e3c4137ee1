-- A row of a graph's log, by its number, and the last one; each once, in order.
--
-- complete: when empty
-- parameters:
--   name: the graph's name
--   seq: the row's number, or null for the last one alone
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
--   declared, budget, maxPerRelease, delta, relationshipType, terms: the account after it, as in account_find; terms is
--     null in a row of an older version, and the others mean nothing then
--   shareTotal: of an analyst's debit what their share had spent after it, else null
--   firstWindow, lastWindow: of a debit from an account with a calendar what it read; null and null for everything
--   runs, shareRuns: what was spent within every run of windows after it, of the account and of the share; else null
--   prev, hash: SHA-256 of the row before and of this one, hex; null in Neo4j
-- cost: the account and two rows
SELECT name AS name, seq AS seq, kind AS kind, at AS at, "by" AS "by", releaseId AS releaseId, requestId AS requestId,
       cost AS cost, charge AS charge, body AS body, total AS total, analyst AS analyst, declared AS declared,
       budget AS budget, maxPerRelease AS maxPerRelease, delta AS delta, relationshipType AS relationshipType,
       terms AS terms, shareTotal AS shareTotal, firstWindow AS firstWindow,
       lastWindow AS lastWindow, runs AS runs, shareRuns AS shareRuns, prev AS prev, hash AS hash,
       sound AND coalesce((SELECT sound FROM account WHERE name = $name), 1) AS sound
FROM entry
WHERE name = $name AND seq IN ($seq, (SELECT entries FROM account WHERE name = $name))
ORDER BY seq
