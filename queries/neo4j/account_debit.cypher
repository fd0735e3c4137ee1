// Add what a release costs to what was spent, if it fits; run it after account_adds_up, and log_debit after it.
//
// parameters:
//   name: the graph's name
//   cost: the release's epsilon, nano-epsilon, positive
//   price: what it costs in pico-rho, positive; added instead of cost where the account has a delta
//   whole: the epsilon of the release as a whole so far, nano-epsilon: what the limit is for
// columns:
//   name: the graph's name
//   delta: atto-delta, or null for a pure account
//   declared: the epsilon of the budget, nano-epsilon, or null where no budget is declared
//   budget, spent: in the account's currency: nano-epsilon where delta is null, else pico-rho
//   maxPerRelease: largest epsilon of one release, nano-epsilon, or null
//   relationshipType: whose relationships it accounts for, or null where edgedp loaded the graph
//   entries: number of rows of its log; no row at all if the release does not fit
// cost: one row
MATCH (:EdgeDPSchema {version: 5})
MATCH (account:EdgeDPAccount {name: $name})
WITH account, CASE WHEN account.delta IS NULL THEN $cost ELSE $price END AS charge
WHERE $cost > 0 AND $price > 0 AND account.budget IS NOT NULL AND account.spent + charge <= account.budget
  AND (account.maxPerRelease IS NULL OR $whole <= account.maxPerRelease)
SET account.spent = account.spent + charge, account.entries = account.entries + 1,
    account.terms = coalesce(account.terms, '')
RETURN account.name AS name, account.delta AS delta, account.declared AS declared, account.budget AS budget,
       account.spent AS spent, account.maxPerRelease AS maxPerRelease,
       account.relationshipType AS relationshipType, account.entries AS entries
