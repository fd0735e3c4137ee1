// Ordered degrees: how many other nodes of a larger rank a node has a relationship with, either way.
//
// parameters:
//   nodes: list of node ids (values of the id property), or null for all nodes
//   ranks: map from the text of every node's id to its place in a ranking that is public or was released
// columns:
//   id: the node's id
//   value: number of nodes; parallel relationships count once, loops not at all
// cost: as degree
CALL () {
  WITH 1 AS every WHERE $nodes IS NULL
  MATCH (node:{{node_label}})
  RETURN node
  UNION ALL
  UNWIND $nodes AS id
  MATCH (node:{{node_label}} { {{id_property}}: id })
  RETURN node
}
WITH node, $ranks[toString(node.{{id_property}})] AS rank
RETURN node.{{id_property}} AS id,
       COUNT { MATCH (node)-[:{{relationship_type}}]-(neighbor:{{node_label}}) WHERE neighbor <> node AND $ranks[toString(neighbor.{{id_property}})] > rank RETURN DISTINCT neighbor } AS value
