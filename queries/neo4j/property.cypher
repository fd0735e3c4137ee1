// The values of a property of all nodes, as the release of a percentile reads them.
//
// parameters: none
// columns:
//   value: the number; null for what is missing or no number
// cost: one pass over the nodes
MATCH (node:{{node_label}})
WITH node.{{property}} AS kept
RETURN CASE WHEN kept IS :: INTEGER NOT NULL THEN toFloat(kept) WHEN kept IS :: FLOAT NOT NULL THEN kept END AS value
