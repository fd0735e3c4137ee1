-- Add a person, unless the name is taken, also by one who was revoked.
--
-- complete: never (a write)
-- parameters:
--   name: the person's name
--   role: analyst or curator
--   tokenHash: SHA-256 of the token, hex; the token itself is kept nowhere
--   added: time, ISO 8601, UTC
-- columns:
--   name: no row if the name is taken
-- cost: one row
INSERT INTO people (name, role, tokenHash, added)
VALUES ($name, $role, $tokenHash, $added)
ON CONFLICT (name) DO NOTHING
RETURNING name AS name
