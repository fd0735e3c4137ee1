// Take the write lock of an account until the transaction ends; what is read after it is current.
//
// parameters:
//   name: the graph's name
// columns:
//   name: the graph's name, no row if it has no account
// cost: one row
MATCH (:EdgeDPSchema {version: 6})
MATCH (account:EdgeDPAccount {name: $name})
SET account.held = true
RETURN account.name AS name
