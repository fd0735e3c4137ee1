// The nodes that are ranked, of a graph with candidates.
//
// parameters: none
// columns:
//   id: the node's id
// cost: one pass over the candidates
MATCH (node:{{candidate_label}})
RETURN node.{{id_property}} AS id
