// Number of nodes.
//
// parameters: none
// columns:
//   nodes: number of nodes with the label
// cost: read from the count store
MATCH (node:{{node_label}})
RETURN count(node) AS nodes
