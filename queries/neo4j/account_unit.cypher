// Whether an account protects still what it was read to protect; run it after account_lock.
//
// parameters:
//   name: the account's name
//   unit: what terms say of it, a part of their text
//   there: whether they say it
// columns:
//   name: no row if it protects something else by now
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
WHERE (coalesce(account.terms, '') CONTAINS $unit) = $there
RETURN account.name AS name
