// How many edges a graph has and its largest degree: exact, for the curator who registers it.
//
// parameters: none
// columns:
//   edges: number of pairs of different nodes with a relationship, either way
//   maxDegree: the most other nodes that a node has a relationship with
// cost: one pass over the relationships
MATCH (node:{{node_label}})
WITH COUNT { MATCH (node)-[:{{relationship_type}}]-(neighbor:{{node_label}}) WHERE neighbor <> node RETURN DISTINCT neighbor } AS value
RETURN sum(value) / 2 AS edges, coalesce(max(value), 0) AS maxDegree
