// Which of some ids are those of nodes.
//
// parameters:
//   ids: list of values of the id property
// columns:
//   id: one of them that a node has
// cost: an index lookup each; without an index one pass over the nodes, however many ids are asked for
MATCH (node:{{node_label}})
WHERE node.{{id_property}} IN $ids
RETURN DISTINCT node.{{id_property}} AS id
