// Admissible sensitivity of the degree at distance t: 1.
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
WITH node, 1.0 AS delta
RETURN node.{{id_property}} AS id,
       toFloat(CASE WHEN delta < $global_sensitivity THEN delta ELSE $global_sensitivity END) AS value
