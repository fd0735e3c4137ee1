// Say which edges an account is for.
//
// parameters:
//   name: the graph's name
//   relationshipType: type of a registered graph; null for any other, which leaves the type that is there
//   terms: which edges, JSON; empty where they are gone
// columns: none
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
SET account.relationshipType = coalesce($relationshipType, account.relationshipType), account.terms = $terms
