// The values of a property of a version's nodes, in the order of their ids.
//
// parameters: none
// columns:
//   position: of the node
//   value: the value; null where it is missing
// cost: one pass over the nodes
MATCH (node:{{node_label}})
RETURN node.position AS position, node.value AS value
ORDER BY position
