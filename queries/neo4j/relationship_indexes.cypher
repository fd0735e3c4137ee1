// The indexes that find relationships by one of their properties.
//
// parameters: none
// columns:
//   type: of the relationships
//   property: by which they are found
// cost: none
SHOW INDEXES YIELD state, type, labelsOrTypes, properties, entityType
WHERE entityType = 'RELATIONSHIP' AND state = 'ONLINE' AND type = 'RANGE' AND size(properties) = 1
RETURN labelsOrTypes[0] AS type, properties[0] AS property
