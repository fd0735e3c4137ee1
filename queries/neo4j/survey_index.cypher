// The indexes that find a node by its id.
//
// parameters:
//   nodeLabel, idProperty: label and property
// columns:
//   name: name of an index
// cost: none
SHOW INDEXES YIELD name, state, labelsOrTypes, properties, entityType
WHERE entityType = 'NODE' AND state = 'ONLINE' AND labelsOrTypes = [$nodeLabel] AND properties = [$idProperty]
RETURN name
