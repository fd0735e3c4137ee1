// Whether a person has a role and was not revoked.
//
// parameters:
//   name: the person's name
//   role: analyst or curator
// columns:
//   name: no row if there is none, or a revoked one, or one of another role
// cost: one row
MATCH (person:EdgeDPPerson {name: $name})
WHERE person.role = $role AND person.revoked IS NULL
RETURN person.name AS name
