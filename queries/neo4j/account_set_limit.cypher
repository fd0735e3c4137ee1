// Declare the largest epsilon of one release, at most the budget.
//
// parameters:
//   name: the graph's name
//   maxPerRelease: nano-epsilon, or 0 for none
// columns:
//   maxPerRelease: the new limit or null, no row if it was refused
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
WHERE $maxPerRelease >= 0 AND (account.declared IS NULL OR $maxPerRelease <= account.declared)
SET account.maxPerRelease = nullIf($maxPerRelease, 0)
RETURN account.maxPerRelease AS maxPerRelease
