// The properties of a version's nodes.
//
// parameters: none
// columns:
//   place: number of its table
//   name: of the property
//   encoding: integer, real or text
// cost: none
MATCH (node:{{node_label}})
RETURN node.place AS place, node.name AS name, node.encoding AS encoding
ORDER BY place
