// Write a batch of edges between nodes that are there; each node is looked up once a batch.
//
// parameters:
//   ids: ids of the nodes of this batch
//   adjacent: list of [i, list of j], positions in ids: an edge from i to every j
// columns:
//   written: number of relationships; 0 if a node of the batch is not there, or is there twice
// cost: bench/results/neo4j.md has it beside LOAD CSV and other forms
UNWIND range(0, size($ids) - 1) AS i
MATCH (node:{{node_label}} { {{id_property}}: $ids[i] })
WITH node, i ORDER BY i
WITH collect(node) AS nodes, count(DISTINCT i) AS found WHERE size(nodes) = size($ids) AND found = size($ids)
UNWIND $adjacent AS row
WITH nodes, nodes[row[0]] AS a, row[1] AS after
UNWIND after AS j
WITH a, nodes[j] AS b
CREATE (a)-[edge:{{relationship_type}}]->(b)
RETURN count(edge) AS written
