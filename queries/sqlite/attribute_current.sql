-- Whether a property is still declared as it was planned for; run it after account_lock.
--
-- complete: its log
-- parameters:
--   name: the account's name
--   head: how the declarations of the property begin, JSON
--   body: the declaration, JSON
-- columns:
--   seq: the row's number; no row if there is a later declaration of the property, or none in these words
-- cost: the log of one account
SELECT seq AS seq, sound
FROM entry
WHERE name = $name AND kind = 'attribute' AND body = $body
  AND seq = (
    SELECT max(seq)
    FROM entry
    WHERE name = $name AND kind = 'attribute' AND substr(body, 1, length($head)) = $head
  )
