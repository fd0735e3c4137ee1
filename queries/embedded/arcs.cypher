// Every edge of a directed graph once, by node ids, with its ways.
//
// parameters: none
// columns:
//   source, target: node ids, the lower one first
//   ways: 1 from source to target, 2 back, 3 both
// cost: 0.07 s for 183,831 edges
MATCH (a:{{node_label}})-[edge:{{relationship_type}}]->(b:{{node_label}})
RETURN a.{{id_property}} AS source, b.{{id_property}} AS target, edge.ways AS ways
