// The most neighbours that a node shares with another node, adjacent to it or not.
//
// parameters:
//   nodes: list of node ids (values of the id property), or null for all nodes
// columns:
//   id: the node's id
//   value: number of nodes; 0 if it shares none
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
  RETURN max(common) AS most
}
RETURN node.{{id_property}} AS id, coalesce(most, 0) AS value
