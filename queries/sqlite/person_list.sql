-- Everybody who has or had a token.
--
-- complete: always
-- parameters: none
-- columns:
--   name, role, tokenHash, added: as in person_put
--   revoked: time, ISO 8601, UTC, or null
-- cost: one row a person
SELECT name AS name, role AS role, tokenHash AS tokenHash, added AS added, revoked AS revoked, sound
FROM person
ORDER BY name
