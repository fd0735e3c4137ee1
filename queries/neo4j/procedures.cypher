// Whether the plugin's packed adjacency is on the server.
//
// parameters: none
// columns:
//   name: name of the procedure
// cost: none
SHOW PROCEDURES YIELD name
WHERE name = 'edgedp.exact.adjacency'
RETURN name
