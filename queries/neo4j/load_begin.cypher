// Note a new version, whose nodes and edges are about to be written and which nobody reads yet.
//
// parameters:
//   name: the graph's name
//   nodeLabel, relationshipType: the version's own label, and its type
//   displayLabel: the label that people see beside the version's own
//   constraintName: name of its constraint, or null where it gets none
// columns: none
// cost: one row
CREATE (:EdgeDPVersion {
  name: $name, nodeLabel: $nodeLabel, relationshipType: $relationshipType, displayLabel: $displayLabel,
  constraintName: $constraintName, current: false
})
