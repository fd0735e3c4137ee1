// The pieces of all properties of a version's nodes, or of one, in their order.
//
// parameters:
//   name: of the property
//   every: whether the pieces of every property are wanted
// columns:
//   name: of the property
//   encoding: integer, real or text
//   content: a piece of its values, one a node in the order of the ids
// cost: the values
MATCH (node:{{node_label}})
WHERE $every OR node.name = $name
RETURN node.name AS name, node.encoding AS encoding, node.content AS content
ORDER BY node.key
