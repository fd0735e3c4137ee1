// How many relationships of the store are of one type: which scan is the shorter way to them.
//
// parameters: none
// columns:
//   ofType: number of relationships of the type
//   ofAll: number of all relationships
// cost: read from the count store
MATCH ()-[edge:{{relationship_type}}]->()
WITH count(edge) AS ofType
MATCH ()-[edge]->()
RETURN ofType AS ofType, count(edge) AS ofAll
