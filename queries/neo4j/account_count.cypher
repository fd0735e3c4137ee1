// Count what a release costs in the ledger of a graph that owns no account: those of its relationship types are debited.
// Run it after account_adds_up, and log_debit after it.
//
// parameters:
//   name: the graph's name
//   cost: the release's epsilon, nano-epsilon, positive
//   price: what it costs in pico-rho, positive; added instead of cost where the ledger has a delta
// columns:
//   name: the graph's name
//   spent: what was asked for under the name
//   entries: number of rows of its log; no row at all if it is an account of relationships, or has a budget, left by an
//     earlier graph of the name, that this does not fit
// cost: one row
MATCH (:EdgeDPSchema {version: 5})
MATCH (account:EdgeDPAccount {name: $name})
WITH account, CASE WHEN account.delta IS NULL THEN $cost ELSE $price END AS charge
WHERE $cost > 0 AND $price > 0 AND account.relationshipType IS NULL
  AND (account.budget IS NULL OR account.spent + charge <= account.budget)
SET account.spent = account.spent + charge, account.entries = account.entries + 1,
    account.terms = coalesce(account.terms, '')
RETURN account.name AS name, account.spent AS spent, account.entries AS entries
