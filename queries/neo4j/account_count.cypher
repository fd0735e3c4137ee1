// Count what a release costs in the ledger of a graph that owns no account: those of its relationship types are debited.
// Run it after account_adds_up, and log_debit after it.
//
// parameters:
//   name: the graph's name
//   cost: the release's epsilon, nano-epsilon, positive
//   price: what it costs in pico-rho, positive; added instead of cost where the ledger has a delta
//   within, firstWindow, lastWindow: as in account_debit
// columns:
//   name: the graph's name
//   spent: what was asked for under the name
//   entries: number of rows of its log; no row at all if it is an account of relationships, or has a budget, left by an
//     earlier graph of the name, that this does not fit
// cost: one row
MATCH (:EdgeDPSchema {version: 6})
MATCH (account:EdgeDPAccount {name: $name})
WITH account, CASE WHEN account.delta IS NULL THEN $cost ELSE $price END AS charge
WHERE $cost > 0 AND $price > 0 AND account.relationshipType IS NULL
  AND (account.budget IS NULL OR account.spent + charge <= account.budget)
  AND (account.runs IS NULL) = ($within IS NULL) AND ($firstWindow IS NULL) = ($lastWindow IS NULL)
WITH account, charge, coalesce(account.runs, '[0,0]') AS before
// The sums of runs.py, over the same text: what the dearest run that the windows overlap has spent, and the text
// after this release. The changes are in ascending order, so each list below is, too.
WITH account, charge,
     [part IN split(substring(before, 1, size(before) - 2), ',') | toInteger(part)] AS kept,
     CASE WHEN $firstWindow - $within + 1 < 0 THEN 0 ELSE $firstWindow - $within + 1 END AS low,
     $lastWindow + 1 AS high
WITH account, charge, kept, low, high, [i IN range(0, size(kept) - 1) WHERE i > 1 AND i % 2 = 0] AS at
WITH account, charge, kept, low, high, at,
     reduce(spent = kept[1], i IN at | spent + CASE WHEN kept[i] <= low THEN kept[i + 1] ELSE 0 END) AS spentAtLow,
     [i IN at WHERE kept[i] < low | [kept[i], kept[i + 1]]]
       + [[low, reduce(change = charge, i IN at | change + CASE WHEN kept[i] = low THEN kept[i + 1] ELSE 0 END)]]
       + [i IN at WHERE kept[i] > low AND kept[i] < high | [kept[i], kept[i + 1]]]
       + [[high, reduce(change = -charge, i IN at | change + CASE WHEN kept[i] = high THEN kept[i + 1] ELSE 0 END)]]
       + [i IN at WHERE kept[i] > high | [kept[i], kept[i + 1]]] AS merged
WITH account, charge, kept, low,
     CASE WHEN low IS NULL THEN kept[0] ELSE reduce(
       sums = [spentAtLow, spentAtLow], i IN [i IN at WHERE kept[i] > low AND kept[i] < high] |
       [sums[0] + kept[i + 1], CASE WHEN sums[0] + kept[i + 1] > sums[1] THEN sums[0] + kept[i + 1] ELSE sums[1] END]
     )[1] END AS touched,
     CASE WHEN low IS NULL THEN [i IN at | [kept[i], kept[i + 1]]]
       ELSE [change IN merged WHERE change[1] <> 0] END AS changes,
     kept[1] + CASE WHEN low IS NULL THEN charge ELSE 0 END AS everything
WITH account, charge, touched, changes, everything,
     everything + reduce(
       sums = [0, 0], change IN changes |
       [sums[0] + change[1], CASE WHEN sums[0] + change[1] > sums[1] THEN sums[0] + change[1] ELSE sums[1] END]
     )[1] AS dearest
WITH account, charge, touched, CASE WHEN $within IS NOT NULL THEN
     reduce(text = '[' + toString(dearest) + ',' + toString(everything), change IN changes |
       text + ',' + toString(change[0]) + ',' + toString(change[1])) + ']' END AS runs
SET account.runs = runs, account.spent = account.spent + charge, account.entries = account.entries + 1,
    account.terms = coalesce(account.terms, '')
RETURN account.name AS name, account.spent AS spent, account.entries AS entries
