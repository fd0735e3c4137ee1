// Admissible sensitivity of EBC at distance t, form degree: the larger of (d + t)(d + t - 1) / 4 and d + t.
//
// parameters:
//   nodes: list of node ids (values of the id property), or null for all nodes
//   t: distance in edges, 0 or more
//   global_sensitivity: of the metric under the declared degree bound; the cap
// columns:
//   id: the node's id
//   value: float
// cost: see bench/results/neo4j.md
CALL () {
  WITH 1 AS every WHERE $nodes IS NULL
  MATCH (node:{{node_label}})
  RETURN node
  UNION ALL
  UNWIND $nodes AS id
  MATCH (node:{{node_label}} { {{id_property}}: id })
  RETURN node
}
WITH node, COUNT { MATCH (node)-[:{{relationship_type}}]-(neighbor:{{node_label}}) WHERE neighbor <> node RETURN DISTINCT neighbor } AS degree
WITH node, toFloat(degree + $t) AS reach
WITH node, CASE WHEN reach > 5 THEN reach * (reach - 1) / 4 ELSE reach END AS delta
RETURN node.{{id_property}} AS id,
       toFloat(CASE WHEN delta < $global_sensitivity THEN delta ELSE $global_sensitivity END) AS value
