// Whether an account is for the edges that the registry has; run it after account_lock and graph_current.
//
// parameters:
//   name: the graph's name
//   terms: which edges, JSON, from the row of the registry that was planned for
// columns:
//   name: no row if the account, or the last row of its log, is for others
// cost: one row and the last of its log
//
// An account of an older version, whose log does not say it either, is for these from now on.
MATCH (account:EdgeDPAccount {name: $name})
MATCH (latest:EdgeDPEntry {name: $name, seq: account.entries})
WHERE account.terms = $terms AND coalesce(latest.terms, $terms) = $terms
   OR account.terms IS NULL AND latest.terms IS NULL
SET account.terms = $terms
RETURN account.name AS name
