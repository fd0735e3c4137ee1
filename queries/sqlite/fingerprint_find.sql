-- Under which names the same edges were loaded before.
--
-- complete: never (a name that is hidden costs a warning)
-- parameters:
--   fingerprint: as in fingerprint_put
-- columns:
--   name: a name
-- cost: one row a name
SELECT name AS name, sound
FROM fingerprint
WHERE fingerprint = $fingerprint
ORDER BY name
