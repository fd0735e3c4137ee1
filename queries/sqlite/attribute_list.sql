-- The declarations of properties in the log of an attributes' account, oldest first.
--
-- complete: its log
-- parameters:
--   name: the account's name
-- columns:
--   seq: the row's number
--   body: of the declaration, JSON
-- cost: the log of one account
SELECT seq AS seq, body AS body, sound
FROM entry
WHERE name = $name AND kind = 'attribute'
ORDER BY seq
