// Admissible sensitivity of EBC at distance t, form common_neighbors: the larger of d + t and
// (m + t)(m + t - 1) / 4; m is the most neighbours that the node shares with another one.
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
CALL (node) {
  MATCH (node)-[:{{relationship_type}}]-(shared:{{node_label}})-[:{{relationship_type}}]-(other:{{node_label}})
  WHERE shared <> node AND other <> node AND other <> shared
  WITH other, count(DISTINCT shared) AS common
  RETURN coalesce(max(common), 0) AS most
}
WITH node, most, COUNT { MATCH (node)-[:{{relationship_type}}]-(neighbor:{{node_label}}) WHERE neighbor <> node RETURN DISTINCT neighbor } AS degree
WITH node, toFloat(degree + $t) AS reach, (most + $t) * (most + $t - 1) / 4.0 AS wide
WITH node, CASE WHEN wide > reach THEN wide ELSE reach END AS delta
RETURN node.{{id_property}} AS id,
       toFloat(CASE WHEN delta < $global_sensitivity THEN delta ELSE $global_sensitivity END) AS value
