// Who a node has a relationship with, either way.
//
// parameters:
//   nodes: list of node ids (values of the id property), or null for all nodes
// columns:
//   id: the node's id
//   value: list of the other nodes' ids, in no order; parallel relationships count once, loops not at all
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
RETURN node.{{id_property}} AS id,
       COLLECT { MATCH (node)-[:{{relationship_type}}]-(neighbor:{{node_label}}) WHERE neighbor <> node RETURN DISTINCT neighbor.{{id_property}} } AS value
