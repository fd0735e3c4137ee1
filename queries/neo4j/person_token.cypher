// Give a person another token; the one before is worth nothing any more.
//
// parameters:
//   name: the person's name
//   tokenHash: as in person_put
// columns:
//   name, role: no row if there is none, or a revoked one
// cost: one row
MATCH (person:EdgeDPPerson {name: $name})
WHERE person.revoked IS NULL
SET person.tokenHash = $tokenHash
RETURN person.name AS name, person.role AS role
