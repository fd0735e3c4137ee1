// Which of some ids are those of nodes.
//
// parameters:
//   ids: list of values of the id property
// columns:
//   id: one of them that a node has
// cost: an index lookup each
UNWIND $ids AS id
MATCH (node:{{node_label}} { {{id_property}}: id })
RETURN DISTINCT node.{{id_property}} AS id
