// Which relationship types the accounts are for; an account outlives its graph.
//
// parameters: none
// columns:
//   name, relationshipType: as in account_find; only accounts of registered graphs
// cost: one row an account
MATCH (account:EdgeDPAccount)
WHERE account.relationshipType IS NOT NULL
RETURN account.name AS name, account.relationshipType AS relationshipType
