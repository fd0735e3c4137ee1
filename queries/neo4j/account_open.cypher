// Make sure that an account exists; what was spent before is kept.
//
// parameters:
//   name: the graph's name
// columns: none
// cost: one row
//
// In Neo4j this also takes the lock of the whole registry, so that no two loads or registrations decide at the same
// time; and an account that somebody deleted is made again from its log, with all that was spent and what the last row
// of the log says that it allowed.
MATCH (schema:EdgeDPSchema {version: 6})
SET schema.held = true
MERGE (account:EdgeDPAccount {name: $name})
ON CREATE SET account.spent = 0, account.entries = 0, account.held = true, account.made = true,
  account.terms = ''
WITH account
WHERE account.made
REMOVE account.made
WITH account
MATCH (entry:EdgeDPEntry)
WHERE entry.name = account.name AND entry.seq > 0
WITH account, entry ORDER BY entry.seq
WITH account, sum(coalesce(entry.charge, 0)) AS spent, max(entry.seq) AS entries, last(collect(entry)) AS latest
SET account.spent = spent, account.entries = entries, account.delta = latest.delta,
    account.relationshipType = latest.relationshipType, account.terms = latest.terms,
    account.declared = latest.declared, account.budget = latest.budget, account.maxPerRelease = latest.maxPerRelease,
    account.runs = latest.runs
