// Count one more row of the log; log_append or log_answer writes it in the same transaction.
//
// parameters:
//   name: the graph's name
// columns:
//   entries: the number of the new row, its seq; no row if there is no account
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
SET account.entries = account.entries + 1
RETURN account.entries AS entries
