// Everybody who has or had a token.
//
// parameters: none
// columns:
//   name, role, tokenHash, added: as in person_put
//   revoked: time, ISO 8601, UTC, or null
// cost: one row a person
MATCH (person:EdgeDPPerson)
RETURN person.name AS name, person.role AS role, person.tokenHash AS tokenHash, person.added AS added,
       person.revoked AS revoked
ORDER BY name
