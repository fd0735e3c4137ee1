// Number of nodes, of those that are ranked.
//
// parameters: none
// columns:
//   nodes: number of nodes with the label; of several labels, of those with the candidates' where there are any
// cost: read from the count store
MATCH (node:{{candidate_label}})
RETURN count(node) AS nodes
