// Whether nothing was written to the log of an account since it was read; run it after account_lock.
//
// parameters:
//   name: the account's name
//   entries: number of rows of its log
// columns:
//   name: no row if its log has another number of rows
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
WHERE account.entries = $entries
RETURN account.name AS name
