// The whole graph, one row a node: which nodes its relationships point to.
//
// parameters: none
// columns:
//   id: the node's id
//   neighbors: list of ids, in no order; an edge stands in the row of one of its ends (or of both, or twice,
//     where the database holds it so), a loop in its own
// cost: see bench/results/neo4j.md
MATCH (node:{{node_label}})
RETURN node.{{id_property}} AS id,
       COLLECT { MATCH (node)-[:{{relationship_type}}]->(neighbor:{{node_label}}) RETURN neighbor.{{id_property}} } AS neighbors
