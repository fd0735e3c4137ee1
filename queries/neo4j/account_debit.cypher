// Add what a release costs to what was spent, if it fits; run it after account_adds_up, and log_debit after it.
//
// parameters:
//   name: the graph's name
//   cost: the release's epsilon, nano-epsilon, positive
//   price: what it costs in pico-rho, positive; added instead of cost where the account has a delta
//   whole: the epsilon of the release as a whole so far, nano-epsilon: what the limit is for
//   within: of an account with a calendar, of how many consecutive windows a run is; null of every other account
//   firstWindow, lastWindow: the windows that are read; null and null for everything
// columns:
//   name: the graph's name
//   delta: atto-delta, or null for a pure account
//   declared: the epsilon of the budget, nano-epsilon, or null where no budget is declared
//   budget, spent: in the account's currency: nano-epsilon where delta is null, else pico-rho
//   maxPerRelease: largest epsilon of one release, nano-epsilon, or null
//   relationshipType: whose relationships it accounts for, or null where edgedp loaded the graph
//   runs: what was spent within every run of windows, as text (calendars/runs.py); null without a calendar
//   entries: number of rows of its log; no row at all if the release does not fit
// cost: one row
//
// Of an account with a calendar the budget is for each run of windows: what was spent of the dearest one that the
// release overlaps is compared with it. No row of the log is read.
MATCH (:EdgeDPSchema {version: 6})
MATCH (account:EdgeDPAccount {name: $name})
WITH account, CASE WHEN account.delta IS NULL THEN $cost ELSE $price END AS charge
WHERE $cost > 0 AND $price > 0 AND account.budget IS NOT NULL AND (account.runs IS NULL) = ($within IS NULL)
  AND ($firstWindow IS NULL) = ($lastWindow IS NULL)
  AND (account.maxPerRelease IS NULL OR $whole <= account.maxPerRelease)
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
WHERE CASE WHEN $within IS NULL THEN account.spent ELSE touched END + charge <= account.budget
SET account.runs = runs, account.spent = account.spent + charge, account.entries = account.entries + 1,
    account.terms = coalesce(account.terms, '')
RETURN account.name AS name, account.delta AS delta, account.declared AS declared, account.budget AS budget,
       account.spent AS spent, account.maxPerRelease AS maxPerRelease,
       account.relationshipType AS relationshipType, account.entries AS entries,
       account.runs AS runs
