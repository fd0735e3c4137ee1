// Add what a release costs to what its analyst spent of a share, if it fits; run it after share_adds_up, and
// account_debit after it.
//
// parameters:
//   name: the graph's name
//   analyst: the analyst's name
//   account: which of the graph's accounts
//   cost, price, whole, within, firstWindow, lastWindow: as in account_debit
// columns:
//   name, analyst, account: the graph, who may ask, and which of its accounts
//   delta: the account's atto-delta when the share was declared, or null for a pure account
//   minPerRelease: smallest epsilon of one release of an agent, nano-epsilon; null for a person
//   declared: the epsilon of the share, nano-epsilon
//   budget, spent: in the account's currency: nano-epsilon where delta is null, else pico-rho
//   maxPerRelease: largest epsilon of one release of this analyst, nano-epsilon, or null; no row at all if the
//     release does not fit, or the account's delta is another than the share's
//   runs: what was spent within every run of windows, as text; null without a calendar
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
MATCH (share:EdgeDPShare {name: $name, analyst: $analyst, account: $account})
WHERE share.delta = account.delta OR (share.delta IS NULL AND account.delta IS NULL)
WITH account, share, CASE WHEN share.delta IS NULL THEN $cost ELSE $price END AS charge
WHERE $cost > 0 AND $price > 0 AND ($firstWindow IS NULL) = ($lastWindow IS NULL)
  AND ($within IS NOT NULL AND (share.runs IS NOT NULL OR share.spent = 0) OR $within IS NULL AND share.runs IS NULL)
  AND (share.maxPerRelease IS NULL OR $whole <= share.maxPerRelease)
  AND (share.minPerRelease IS NULL OR $whole >= share.minPerRelease)
WITH account, share, charge, coalesce(share.runs, '[0,0]') AS before
// The sums of runs.py, over the same text: what the dearest run that the windows overlap has spent, and the text
// after this release. The changes are in ascending order, so each list below is, too.
WITH account, share, charge,
     [part IN split(substring(before, 1, size(before) - 2), ',') | toInteger(part)] AS kept,
     CASE WHEN $firstWindow - $within + 1 < 0 THEN 0 ELSE $firstWindow - $within + 1 END AS low,
     $lastWindow + 1 AS high
WITH account, share, charge, kept, low, high, [i IN range(0, size(kept) - 1) WHERE i > 1 AND i % 2 = 0] AS at
WITH account, share, charge, kept, low, high, at,
     reduce(spent = kept[1], i IN at | spent + CASE WHEN kept[i] <= low THEN kept[i + 1] ELSE 0 END) AS spentAtLow,
     [i IN at WHERE kept[i] < low | [kept[i], kept[i + 1]]]
       + [[low, reduce(change = charge, i IN at | change + CASE WHEN kept[i] = low THEN kept[i + 1] ELSE 0 END)]]
       + [i IN at WHERE kept[i] > low AND kept[i] < high | [kept[i], kept[i + 1]]]
       + [[high, reduce(change = -charge, i IN at | change + CASE WHEN kept[i] = high THEN kept[i + 1] ELSE 0 END)]]
       + [i IN at WHERE kept[i] > high | [kept[i], kept[i + 1]]] AS merged
WITH account, share, charge, kept, low,
     CASE WHEN low IS NULL THEN kept[0] ELSE reduce(
       sums = [spentAtLow, spentAtLow], i IN [i IN at WHERE kept[i] > low AND kept[i] < high] |
       [sums[0] + kept[i + 1], CASE WHEN sums[0] + kept[i + 1] > sums[1] THEN sums[0] + kept[i + 1] ELSE sums[1] END]
     )[1] END AS touched,
     CASE WHEN low IS NULL THEN [i IN at | [kept[i], kept[i + 1]]]
       ELSE [change IN merged WHERE change[1] <> 0] END AS changes,
     kept[1] + CASE WHEN low IS NULL THEN charge ELSE 0 END AS everything
WITH account, share, charge, touched, changes, everything,
     everything + reduce(
       sums = [0, 0], change IN changes |
       [sums[0] + change[1], CASE WHEN sums[0] + change[1] > sums[1] THEN sums[0] + change[1] ELSE sums[1] END]
     )[1] AS dearest
WITH account, share, charge, touched, CASE WHEN $within IS NOT NULL THEN
     reduce(text = '[' + toString(dearest) + ',' + toString(everything), change IN changes |
       text + ',' + toString(change[0]) + ',' + toString(change[1])) + ']' END AS runs
WHERE CASE WHEN $within IS NULL THEN share.spent ELSE touched END + charge <= share.budget
SET share.runs = runs, share.spent = share.spent + charge, share.entry = account.entries + 1
RETURN share.name AS name, share.analyst AS analyst, share.account AS account, share.delta AS delta,
       share.declared AS declared, share.budget AS budget, share.spent AS spent,
       share.maxPerRelease AS maxPerRelease, share.minPerRelease AS minPerRelease, share.runs AS runs
