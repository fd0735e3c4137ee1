// Add what a release costs to what its analyst spent of a share, if it fits; run it after share_adds_up, and
// account_debit after it.
//
// parameters:
//   name: the graph's name
//   analyst: the analyst's name
//   account: which of the graph's accounts
//   cost, price, whole: as in account_debit
// columns:
//   name, analyst, account: the graph, who may ask, and which of its accounts
//   delta: the account's atto-delta when the share was declared, or null for a pure account
//   minPerRelease: smallest epsilon of one release of an agent, nano-epsilon; null for a person
//   declared: the epsilon of the share, nano-epsilon
//   budget, spent: in the account's currency: nano-epsilon where delta is null, else pico-rho
//   maxPerRelease: largest epsilon of one release of this analyst, nano-epsilon, or null; no row at all if the
//     release does not fit, or the account's delta is another than the share's
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
MATCH (share:EdgeDPShare {name: $name, analyst: $analyst, account: $account})
WHERE share.delta = account.delta OR (share.delta IS NULL AND account.delta IS NULL)
WITH account, share, CASE WHEN share.delta IS NULL THEN $cost ELSE $price END AS charge
WHERE $cost > 0 AND $price > 0 AND share.spent + charge <= share.budget
  AND (share.maxPerRelease IS NULL OR $whole <= share.maxPerRelease)
  AND (share.minPerRelease IS NULL OR $whole >= share.minPerRelease)
SET share.spent = share.spent + charge, share.entry = account.entries + 1
RETURN share.name AS name, share.analyst AS analyst, share.account AS account, share.delta AS delta,
       share.declared AS declared, share.budget AS budget, share.spent AS spent,
       share.maxPerRelease AS maxPerRelease, share.minPerRelease AS minPerRelease
