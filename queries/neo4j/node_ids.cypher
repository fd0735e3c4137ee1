// The ids of all nodes.
//
// parameters: none
// columns:
//   id: the node's id
// cost: see bench/results/neo4j.md
MATCH (node:{{node_label}})
RETURN node.{{id_property}} AS id
