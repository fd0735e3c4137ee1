-- A graph's account, where it is what its log says; run it after account_lock.
--
-- complete: never (no row is a refusal)
-- parameters:
--   name: the graph's name
-- columns:
--   name, delta, declared, budget, spent, maxPerRelease, relationshipType, terms, runs, entries: as in account_find; no
--     row if the account is not what the last row of its log says, or rows after it or the last are missing
-- cost: one row and the last of its log
SELECT account.name AS name, account.delta AS delta, account.declared AS declared, account.budget AS budget,
       account.spent AS spent, account.maxPerRelease AS maxPerRelease,
       account.relationshipType AS relationshipType, account.entries AS entries,
       account.terms AS terms, account.runs AS runs,
       account.sound AND coalesce(latest.sound, 1) AS sound
FROM account LEFT JOIN entry AS latest ON latest.name = account.name AND latest.seq = account.entries
WHERE account.name = $name AND account.spent = coalesce(latest.total, 0)
  AND (latest.terms IS NULL OR (
    account.declared IS latest.declared AND account.budget IS latest.budget AND account.delta IS latest.delta
    AND account.maxPerRelease IS latest.maxPerRelease AND account.relationshipType IS latest.relationshipType
    AND account.terms IS latest.terms AND account.runs IS latest.runs))
  AND account.entries = (SELECT coalesce(max(seq), 0) FROM log WHERE log.name = $name)
