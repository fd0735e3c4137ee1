-- The store's secret; it never leaves the store.
--
-- complete: never (it is written as the ledger is made)
-- parameters: none
-- columns:
--   secret: 32 bytes, hex
-- cost: one row
SELECT value AS secret, sound
FROM setting
WHERE key = 'secret'
