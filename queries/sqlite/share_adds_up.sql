-- Whether a share is what the log says that its analyst spent; run it after account_lock.
--
-- complete: never (no row is a refusal)
-- parameters:
--   name: the graph's name
--   analyst: the analyst's name
--   account: which of the graph's accounts
-- columns:
--   analyst: no row if spent is not what the analyst's releases cost
-- cost: the row of the analyst's last debit; the analyst's debits where an older version wrote it
SELECT share.analyst AS analyst, share.sound AND coalesce(latest.sound, 1) AS sound
FROM share LEFT JOIN entry AS latest ON latest.name = share.name AND latest.seq = share.entry
WHERE share.name = $name AND share.analyst = $analyst AND share.account = $account AND share.spent = CASE
  WHEN share.entry IS NULL THEN (SELECT coalesce(sum(charge), 0) FROM log WHERE analyst = $analyst AND name = $name)
  WHEN latest.kind = 'debit' AND latest.analyst = $analyst AND share.runs IS latest.shareRuns THEN latest.shareTotal
  END
