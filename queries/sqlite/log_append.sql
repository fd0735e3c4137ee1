-- Write one row of the log; run it after account_next.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   kind: load, replace, drop, register, forget, budget, limit, grant, attribute, account or exact
--   at: time, ISO 8601, UTC
--   by: who caused it
--   body: JSON, public facts only
-- columns:
--   seq: the row's number; no row if there is no account
-- cost: one row
INSERT INTO log (name, seq, kind, at, "by", body, total, declared, budget, maxPerRelease, delta, relationshipType, terms,
                 runs)
SELECT name, entries, $kind, $at, $by, $body, spent, declared, budget, maxPerRelease, delta, relationshipType, terms,
       runs
FROM account
WHERE name = $name
RETURNING seq AS seq
