// A graph's account, where it is what its log says; run it after account_lock.
//
// parameters:
//   name: the graph's name
// columns:
//   name, delta, declared, budget, spent, maxPerRelease, relationshipType, terms, runs, entries: as in account_find; no
//     row if the account is not what the last row of its log says, or rows after it or the last are missing
// cost: one row and the last of its log
MATCH (account:EdgeDPAccount {name: $name})
WHERE account.spent IS :: INTEGER NOT NULL AND account.entries IS :: INTEGER NOT NULL
  AND account.budget IS :: INTEGER AND account.declared IS :: INTEGER AND account.delta IS :: INTEGER
  AND account.maxPerRelease IS :: INTEGER AND account.runs IS :: STRING
  AND (account.budget IS NULL) = (account.declared IS NULL)
OPTIONAL MATCH (latest:EdgeDPEntry {name: $name, seq: account.entries})
WITH account, latest, CASE WHEN latest IS NULL THEN account ELSE latest END AS said
WHERE account.spent = coalesce(latest.total, 0) AND (account.entries = 0) = (latest IS NULL)
  AND coalesce(account.delta, -1) = coalesce(said.delta, -1)
  AND coalesce(account.relationshipType, '') = coalesce(said.relationshipType, '')
  AND (said.terms IS NULL OR (
    account.terms = said.terms AND coalesce(account.declared, -1) = coalesce(said.declared, -1)
    AND coalesce(account.budget, -1) = coalesce(said.budget, -1)
    AND coalesce(account.maxPerRelease, -1) = coalesce(said.maxPerRelease, -1)
    AND coalesce(account.runs, '') = coalesce(said.runs, '')))
  AND NOT EXISTS { MATCH (entry:EdgeDPEntry {name: $name}) WHERE entry.seq > account.entries }
RETURN account.name AS name, account.delta AS delta, account.declared AS declared, account.budget AS budget,
       account.spent AS spent, account.maxPerRelease AS maxPerRelease,
       account.relationshipType AS relationshipType, account.entries AS entries,
       account.terms AS terms, account.runs AS runs
