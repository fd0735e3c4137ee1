// Revoke a person for good; the name stays taken, and what was spent stays spent.
//
// parameters:
//   name: the person's name
//   revoked: time, ISO 8601, UTC
// columns:
//   name: no row if there is none, or a revoked one
// cost: one row
MATCH (person:EdgeDPPerson {name: $name})
WHERE person.revoked IS NULL
SET person.revoked = $revoked
RETURN person.name AS name
