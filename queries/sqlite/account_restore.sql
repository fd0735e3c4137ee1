-- Make an account again what its log says, where the log says no less than the account that was spent; for a curator who
-- drops a graph.
--
-- complete: its log
-- parameters:
--   name: the account's name
-- columns: none
-- cost: the log of one account
--
-- What was spent never shrinks: where the account says that more was, rows of the log are missing, and nothing is done.
UPDATE accounts
SET (spent, entries, declared, budget, maxPerRelease, delta, relationshipType, terms, runs) = (
  SELECT (SELECT sum(coalesce(charge, 0)) FROM log WHERE log.name = $name), seq,
         iif(terms IS NULL, accounts.declared, declared), iif(terms IS NULL, accounts.budget, budget),
         iif(terms IS NULL, accounts.maxPerRelease, maxPerRelease), iif(terms IS NULL, accounts.delta, delta),
         iif(terms IS NULL, accounts.relationshipType, relationshipType), iif(terms IS NULL, accounts.terms, terms),
         iif(terms IS NULL, accounts.runs, runs)
  FROM log WHERE log.name = $name ORDER BY seq DESC LIMIT 1
)
WHERE name = $name AND spent <= (SELECT sum(coalesce(charge, 0)) FROM log WHERE log.name = $name)
  AND entries <= (SELECT max(seq) FROM log WHERE log.name = $name)
