-- Write the row of a debit; run it after account_debit.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   releaseId: identifier of the release
--   analyst: whose share was debited; empty for a direct caller
--   requestId: the asker's identifier of the request, or null
--   cost, price: as in account_debit
--   at: time, ISO 8601, UTC
--   by: who asked
--   body: JSON with kind, parameters and public
--   firstWindow, lastWindow: as in account_debit
-- columns:
--   seq: the row's number; no row if there is no account
-- cost: one row
INSERT INTO log (name, seq, kind, at, "by", releaseId, requestId, cost, charge, body, total,
                 analyst, declared, budget, maxPerRelease, delta, relationshipType, terms, shareTotal,
                 firstWindow, lastWindow, runs, shareRuns)
SELECT name, entries, 'debit', $at, $by, $releaseId, $requestId, $cost,
       CASE WHEN delta IS NULL THEN $cost ELSE $price END, $body, spent, $analyst,
       declared, budget, maxPerRelease, delta, relationshipType, terms,
       CASE WHEN terms IS NOT NULL THEN (SELECT spent FROM shares WHERE name = $name AND analyst = $analyst) END,
       CASE WHEN runs IS NOT NULL THEN $firstWindow END, CASE WHEN runs IS NOT NULL THEN $lastWindow END, runs,
       CASE WHEN runs IS NOT NULL THEN (SELECT runs FROM shares WHERE name = $name AND analyst = $analyst) END
FROM account
WHERE name = $name
RETURNING seq AS seq
