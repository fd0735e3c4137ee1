// Out-degree: how many other nodes a node has a relationship to, as relationships are stored.
//
// parameters:
//   nodes: list of node ids (values of the id property), or null for all nodes
// columns:
//   id: the node's id
//   value: number of nodes; parallel relationships count once, loops not at all
// cost: about half of degree's, whose relationships it reads one way
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
       COUNT { MATCH (node)-[:{{relationship_type}}]->(neighbor:{{node_label}}) WHERE neighbor <> node RETURN DISTINCT neighbor } AS value
