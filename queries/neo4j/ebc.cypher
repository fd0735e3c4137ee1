// EBC, ego-betweenness: sum of 1 / (1 + c) over the unordered pairs of a node's neighbours that are not
// adjacent; c is how many common neighbours the pair has among the node's neighbours.
//
// parameters:
//   nodes: list of node ids (values of the id property), or null for all nodes
// columns:
//   id: the node's id
//   value: float, 0 to C(degree, 2)
// cost: see bench/results/neo4j.md
//
// Computed as C(degree, 2) - edges - sum of (1 - 1 / (1 + c)) over the pairs with c > 0, so that only pairs
// which some neighbour joins are visited. `after` is what follows `i` in the ordered neighbours of one of
// them; counting the ends of all of these, `i` by `i`, keeps the hash tables small.
// The join hint keeps the planner from comparing every two neighbours, or looking `node` up for every path.
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
  MATCH (node)-[:{{relationship_type}}]-(joint:{{node_label}})-[:{{relationship_type}}]-(end:{{node_label}})-[:{{relationship_type}}]-(node)
  USING JOIN ON joint
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
  RETURN sum(size(adjacent)) / 2 AS edges, sum(lost) AS lost
}
WITH node, edges, lost,
     COUNT { MATCH (node)-[:{{relationship_type}}]-(neighbor:{{node_label}}) WHERE neighbor <> node RETURN DISTINCT neighbor } AS degree
RETURN node.{{id_property}} AS id, degree * (degree - 1) / 2 - edges - lost AS value
