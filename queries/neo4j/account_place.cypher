// Say whose relationships an account is for.
//
// parameters:
//   name: the graph's name
//   relationshipType: type of the registered graph, or null
// columns: none
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
SET account.relationshipType = $relationshipType
