// Write the row of a debit; run it after account_debit.
//
// parameters:
//   name: the graph's name
//   releaseId: identifier of the release
//   analyst: whose share was debited; empty for a direct caller
//   requestId: the asker's identifier of the request, or null
//   cost, price: as in account_debit
//   at: time, ISO 8601, UTC
//   by: who asked
//   body: JSON with kind, parameters and public
//   firstWindow, lastWindow: as in account_debit
// columns:
//   seq: the row's number; no row if there is no account
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
OPTIONAL MATCH (share:EdgeDPShare {name: $name, analyst: $analyst})
CALL dbms.showCurrentUser() YIELD username
CREATE (entry:EdgeDPEntry {
  name: account.name, seq: account.entries, kind: 'debit', at: $at, releaseId: $releaseId, requestId: $requestId,
  analyst: $analyst,
  cost: $cost, charge: CASE WHEN account.delta IS NULL THEN $cost ELSE $price END, body: $body,
  total: account.spent, shareTotal: CASE WHEN account.terms IS NOT NULL THEN share.spent END, delta: account.delta, relationshipType: account.relationshipType,
  declared: account.declared, budget: account.budget, maxPerRelease: account.maxPerRelease, terms: account.terms,
  firstWindow: CASE WHEN account.runs IS NOT NULL THEN $firstWindow END,
  lastWindow: CASE WHEN account.runs IS NOT NULL THEN $lastWindow END, runs: account.runs,
  shareRuns: CASE WHEN account.runs IS NOT NULL THEN share.runs END,
  by: username + CASE WHEN $by = '' THEN '' ELSE ' for ' + $by END
})
RETURN entry.seq AS seq
