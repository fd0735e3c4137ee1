// Versions of a graph that are in the database and not current.
//
// parameters:
//   name: the graph's name
// columns:
//   nodeLabel, constraintName: as in load_begin
// cost: one row each
MATCH (leftover:EdgeDPLeftover {graph: $name})
RETURN leftover.nodeLabel AS nodeLabel, leftover.constraintName AS constraintName
