// Add a person, unless the name is taken, also by one who was revoked.
//
// parameters:
//   name: the person's name
//   role: analyst or curator
//   tokenHash: SHA-256 of the token, hex; the token itself is kept nowhere
//   added: time, ISO 8601, UTC
// columns:
//   name: no row if the name is taken
// cost: one row
MERGE (person:EdgeDPPerson {name: $name})
ON CREATE SET person.role = $role, person.tokenHash = $tokenHash, person.added = $added
WITH person
WHERE person.tokenHash = $tokenHash
RETURN person.name AS name
