// Write a batch of edges between nodes that are there.
//
// parameters:
//   sources, targets: node ids, two lists of equal length
// columns:
//   written: number of relationships
// cost: see bench/results/neo4j.md
UNWIND range(0, size($sources) - 1) AS i
MATCH (a:{{node_label}} {{{id_property}}: $sources[i]})
MATCH (b:{{node_label}} {{{id_property}}: $targets[i]})
CREATE (a)-[edge:{{relationship_type}}]->(b)
RETURN count(edge) AS written
