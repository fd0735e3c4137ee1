// Write the row of an answer, if there is its debit and no answer yet; run it after account_next.
//
// parameters:
//   name: the graph's name
//   releaseId: identifier of the release
//   at: time, ISO 8601, UTC
//   by: who asked
//   body: what was released, JSON
// columns:
//   seq: the row's number; no row if there is no such debit, or an answer already
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
MATCH (debit:EdgeDPEntry {releaseId: $releaseId, kind: 'debit'})
WHERE debit.name = account.name AND NOT EXISTS {
  MATCH (:EdgeDPEntry {releaseId: $releaseId, kind: 'answer'})
}
CALL dbms.showCurrentUser() YIELD username
CREATE (entry:EdgeDPEntry {
  name: account.name, seq: account.entries, kind: 'answer', at: $at, releaseId: debit.releaseId, body: $body,
  total: account.spent, delta: account.delta, relationshipType: account.relationshipType,
  declared: account.declared, budget: account.budget, maxPerRelease: account.maxPerRelease, terms: account.terms,
  runs: account.runs,
  by: username + CASE WHEN $by = '' THEN '' ELSE ' for ' + $by END
})
RETURN entry.seq AS seq
