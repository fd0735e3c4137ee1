// The values of a property of all nodes, as they are; for the curator.
//
// parameters: none
// columns:
//   id: the node's id
//   value: of any type; null where it is missing
// cost: one pass over the nodes
MATCH (node:{{node_label}})
RETURN node.{{id_property}} AS id, node.{{property}} AS value
