// Note that a version's nodes and edges are in the database and not current.
//
// parameters:
//   name: the graph's name
//   nodeLabel: the version's label
//   constraintName: name of its constraint
// columns: none
// cost: one row
CREATE (:EdgeDPLeftover {graph: $name, nodeLabel: $nodeLabel, constraintName: $constraintName})
