-- Make sure that the store has a secret; one that is there is kept.
--
-- complete: never (a write)
-- parameters:
--   secret: 32 random bytes, hex
-- columns: none
-- cost: one row
INSERT INTO settings (key, value)
VALUES ('secret', $secret)
ON CONFLICT (key) DO NOTHING
