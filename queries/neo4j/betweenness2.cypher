// Length-2 betweenness: sum of 1 / c over the unordered pairs of a node's neighbours that are not adjacent;
// c is how many common neighbours the pair has in the whole graph, the node itself among them.
//
// parameters:
//   nodes: list of node ids (values of the id property), or null for all nodes
// columns:
//   id: the node's id
//   value: float, 0 to C(degree, 2)
// cost: see bench/results/neo4j.md
//
// As ebc.cypher, but every node that two neighbours of `node` share joins them, not its neighbours only:
// C(degree, 2) - edges - sum of (1 - 1 / (1 + c)) over the pairs that c > 0 other nodes join. Join hint: as there.
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
  MATCH (node)-[:{{relationship_type}}]-(end:{{node_label}})-[:{{relationship_type}}]-(joint:{{node_label}})
  WHERE joint <> node AND end <> node AND joint <> end
  WITH DISTINCT joint, end
  WITH joint.{{id_property}} AS joint, end.{{id_property}} AS end ORDER BY end
  WITH joint, collect(end) AS ends
  UNWIND range(0, size(ends) - 1) AS first
  WITH ends[first] AS i, joint, ends[first + 1..] AS after
  WITH i, collect(joint) AS adjacent, collect(after) AS afters
  CALL (adjacent, afters) {
    UNWIND afters AS after
    UNWIND after AS j
    WITH j, count(*) AS c WHERE NOT j IN adjacent
    RETURN sum(c / (1.0 + c)) AS lost
  }
  RETURN sum(lost) AS lost
}
CALL (node) {
  MATCH (node)-[:{{relationship_type}}]-(x:{{node_label}})-[:{{relationship_type}}]-(y:{{node_label}})-[:{{relationship_type}}]-(node)
  USING JOIN ON x
  WHERE x <> node AND y <> node AND x <> y
  WITH DISTINCT x, y
  RETURN count(*) / 2 AS edges
}
WITH node, edges, lost,
     COUNT { MATCH (node)-[:{{relationship_type}}]-(neighbor:{{node_label}}) WHERE neighbor <> node RETURN DISTINCT neighbor } AS degree
RETURN node.{{id_property}} AS id, degree * (degree - 1) / 2 - edges - lost AS value
