// Whether accounts are those of some relationship types, all of them and no other, and protect one unit; run it after
// account_lock of each.
//
// parameters:
//   names: the accounts
//   types: the relationship types
//   unit, there: as in account_unit
// columns:
//   accounts: how many there are; no row if one is gone, or for none of the types, or a type has none of them, or one
//     protects something else
// cost: one row an account
MATCH (account:EdgeDPAccount)
WHERE account.name IN $names
WITH collect(account) AS accounts
WHERE size(accounts) = size($names)
  AND all(kind IN $types WHERE any(each IN accounts WHERE kind IN split(each.relationshipType, '|')))
  AND all(each IN accounts WHERE any(kind IN $types WHERE kind IN split(each.relationshipType, '|')))
  AND all(each IN accounts WHERE (coalesce(each.terms, '') CONTAINS $unit) = $there)
RETURN size(accounts) AS accounts
