// Write a batch of nodes.
//
// parameters:
//   rows: list of node ids
// columns:
//   ids, nodes: the ids, and in the same order the database's own numbers of their nodes
// cost: 0.4 s for 36,692 nodes
UNWIND $rows AS given
CREATE (node:{{node_label}}:{{display_label}} {{{id_property}}: given})
RETURN collect(given) AS ids, collect(id(node)) AS nodes
