// Whether this version's packed adjacency is on the server.
//
// parameters: none
// columns:
//   name: name of the procedure
// cost: none
SHOW PROCEDURES YIELD name, signature
WHERE name = 'edgedp.exact.adjacency' AND signature CONTAINS 'entry'
RETURN name
