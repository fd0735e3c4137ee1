// The procedures of edgedp that the caller may call.
//
// parameters: none
// columns:
//   name, signature, description: as Neo4j tells them
// cost: none
SHOW PROCEDURES EXECUTABLE BY CURRENT USER YIELD name, signature, description
WHERE name STARTS WITH 'edgedp.'
RETURN name AS name, signature AS signature, description AS description
ORDER BY name
