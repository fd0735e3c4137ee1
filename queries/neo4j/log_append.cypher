// Write one row of the log; run it after account_next.
//
// parameters:
//   name: the graph's name
//   kind: load, replace, drop, register, forget, budget, limit, grant, attribute, account or exact
//   at: time, ISO 8601, UTC
//   by: who caused it
//   body: JSON, public facts only
// columns:
//   seq: the row's number; no row if there is no account
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
CALL dbms.showCurrentUser() YIELD username
CREATE (entry:EdgeDPEntry {
  name: account.name, seq: account.entries, kind: $kind, at: $at, body: $body, total: account.spent,
  delta: account.delta, relationshipType: account.relationshipType,
  declared: account.declared, budget: account.budget, maxPerRelease: account.maxPerRelease, terms: account.terms,
  runs: account.runs,
  by: username + CASE WHEN $by = '' THEN '' ELSE ' for ' + $by END
})
RETURN entry.seq AS seq
