-- Revoke a person for good; the name stays taken, and what was spent stays spent.
--
-- complete: never (a write)
-- parameters:
--   name: the person's name
--   revoked: time, ISO 8601, UTC
-- columns:
--   name: no row if there is none, or a revoked one
-- cost: one row
UPDATE people
SET revoked = $revoked
WHERE name = $name AND revoked IS NULL
RETURNING name AS name
