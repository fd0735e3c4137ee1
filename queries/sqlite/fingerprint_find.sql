-- Under which names the same edges were loaded before.
--
-- parameters:
--   fingerprint: as in fingerprint_put
-- columns:
--   name: a name
-- cost: one row a name
SELECT name AS name, sound
FROM fingerprint
WHERE fingerprint = $fingerprint
ORDER BY name
