// Whether a property that a release would write is some node's already.
//
// parameters:
//   name: the graph's name
//   property: name of the property
// columns:
//   there: whether some node of the label has it
//   ours: whether an earlier release of this graph wrote it
// cost: one pass over the nodes
RETURN EXISTS { MATCH (node:{{node_label}}) WHERE node.{{property}} IS NOT NULL } AS there,
       EXISTS { MATCH (:EdgeDPWritten {name: $name, property: $property}) } AS ours
