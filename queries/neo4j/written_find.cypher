// Whether a property that a release would write is some node's already.
//
// parameters:
//   name: the graph's name
//   property: name of the property
//   nodeLabel: the labels whose nodes the graph ranks; a mark of before they were kept is of any
// columns:
//   there: whether some node of the label has it
//   ours: whether an earlier release of this graph, of the same labels, wrote it
// cost: one pass over the nodes
RETURN EXISTS { MATCH (node:{{node_label}}) WHERE node.{{property}} IS NOT NULL } AS there,
       EXISTS {
         MATCH (mark:EdgeDPWritten {name: $name, property: $property})
         WHERE coalesce(mark.nodeLabel, $nodeLabel) = $nodeLabel
       } AS ours
