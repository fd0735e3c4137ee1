-- Whether a person has a role and was not revoked.
--
-- complete: when empty
-- parameters:
--   name: the person's name
--   role: analyst or curator
-- columns:
--   name: no row if there is none, or a revoked one, or one of another role
-- cost: one row
SELECT name AS name, sound
FROM person
WHERE name = $name AND role = $role AND revoked IS NULL
