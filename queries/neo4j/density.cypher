// Egocentric density: the edges among a node's neighbours, of those that could be.
//
// parameters:
//   nodes: list of node ids (values of the id property), or null for all nodes
// columns:
//   id: the node's id
//   value: float, 0 to 1; 0 for a degree below 2
// cost: see bench/results/neo4j.md
//
// `ends`: every edge among the neighbours, from both of its ends. The join hint keeps the planner from comparing
// every two neighbours, or looking `node` up for every path.
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
  MATCH (node)-[:{{relationship_type}}]-(x:{{node_label}})-[:{{relationship_type}}]-(y:{{node_label}})-[:{{relationship_type}}]-(node)
  USING JOIN ON x
  WHERE x <> node AND y <> node AND x <> y
  WITH DISTINCT x, y
  RETURN count(*) AS ends
}
WITH node, ends,
     COUNT { MATCH (node)-[:{{relationship_type}}]-(neighbor:{{node_label}}) WHERE neighbor <> node RETURN DISTINCT neighbor } AS degree
RETURN node.{{id_property}} AS id,
       CASE WHEN degree < 2 THEN 0.0 ELSE toFloat(ends) / (degree * (degree - 1)) END AS value
