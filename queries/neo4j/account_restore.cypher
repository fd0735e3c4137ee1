// Make an account again what its log says, where the log says no less than the account that was spent; for a curator who
// drops a graph. It takes the locks of the whole registry and of the account.
//
// parameters:
//   name: the account's name
// columns: none
// cost: the log of one account
//
// What was spent never shrinks: where the account says that more was, rows of the log are missing, and nothing is done.
// An account that somebody deleted is made from its log; one that never had a log is not made.
MATCH (schema:EdgeDPSchema {version: 6})
SET schema.held = true
WITH schema
WHERE EXISTS { MATCH (entry:EdgeDPEntry {name: $name}) WHERE entry.seq > 0 }
MERGE (account:EdgeDPAccount {name: $name})
ON CREATE SET account.spent = 0, account.entries = 0
SET account.held = true
WITH account
MATCH (entry:EdgeDPEntry {name: $name})
WHERE entry.seq > 0
WITH account, max(entry.seq) AS last,
     sum(CASE WHEN entry.charge IS :: INTEGER NOT NULL THEN entry.charge ELSE 0 END) AS charged
MATCH (latest:EdgeDPEntry {name: $name, seq: last})
WHERE NOT coalesce(account.spent > charged, false) AND NOT coalesce(account.entries > last, false)
WITH account, latest, charged, CASE WHEN latest.terms IS NULL THEN account ELSE latest END AS said
SET account.spent = charged, account.entries = latest.seq, account.declared = said.declared,
    account.budget = said.budget, account.maxPerRelease = said.maxPerRelease, account.delta = latest.delta,
    account.relationshipType = latest.relationshipType, account.terms = said.terms,
    account.runs = said.runs
