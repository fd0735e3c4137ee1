// How many relationships of the store are of one type: which scan is the shorter way to them.
//
// parameters: none
// columns:
//   ofType: number of relationships of the type
//   ofAll: number of all relationships, which may be 0
// cost: read from the count store
CALL () { MATCH ()-[edge:{{relationship_type}}]->() RETURN count(edge) AS ofType }
CALL () { MATCH ()-[edge]->() RETURN count(edge) AS ofAll }
RETURN ofType, ofAll
