-- Write the row of an answer, if there is its debit and no answer yet; run it after account_next.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   releaseId: identifier of the release
--   at: time, ISO 8601, UTC
--   by: who asked
--   body: what was released, JSON
-- columns:
--   seq: the row's number; no row if there is no such debit, or an answer already
-- cost: one row
INSERT INTO log (name, seq, kind, at, "by", releaseId, body, total, declared, budget, maxPerRelease, delta,
                 relationshipType, terms, runs)
SELECT account.name, account.entries, 'answer', $at, $by, debit.releaseId, $body, account.spent,
       account.declared, account.budget, account.maxPerRelease, account.delta, account.relationshipType, account.terms,
       account.runs
FROM account JOIN entry AS debit ON debit.name = account.name AND debit.releaseId = $releaseId AND debit.kind = 'debit'
WHERE account.name = $name
  AND NOT EXISTS (SELECT 1 FROM log WHERE name = $name AND releaseId = $releaseId AND kind = 'answer')
RETURNING seq AS seq
