-- Give a person another token; the one before is worth nothing any more.
--
-- complete: never (a write)
-- parameters:
--   name: the person's name
--   tokenHash: as in person_put
-- columns:
--   name, role: no row if there is none, or a revoked one
-- cost: one row
UPDATE people
SET tokenHash = $tokenHash
WHERE name = $name AND revoked IS NULL
RETURNING name AS name, role AS role
