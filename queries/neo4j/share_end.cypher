// Take a share away; what its analyst spent stays in the log, and a later share_put counts it. Run it after account_lock.
//
// parameters:
//   name: the graph's name
//   analyst: the analyst's name
//   account: which of the graph's accounts
// columns: none
// cost: one row
MATCH (share:EdgeDPShare {name: $name, analyst: $analyst, account: $account})
DELETE share
