// The version is no longer its graph's current one; its nodes and edges are to be cleared.
//
// parameters:
//   name, nodeLabel, relationshipType, constraintName: as in load_begin
// columns: none
// cost: one row
MERGE (version:EdgeDPVersion {nodeLabel: $nodeLabel})
ON CREATE SET version.name = $name, version.relationshipType = $relationshipType,
              version.constraintName = $constraintName
SET version.current = false
