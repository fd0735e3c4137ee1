// Every edge once, by node ids.
//
// parameters: none
// columns:
//   source, target: node ids
// cost: 0.07 s for 183,831 edges
MATCH (a:{{node_label}})-[:{{relationship_type}}]->(b:{{node_label}})
RETURN a.{{id_property}} AS source, b.{{id_property}} AS target
