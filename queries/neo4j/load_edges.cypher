// Write a batch of edges between nodes that are there; each node is looked up once a batch.
//
// parameters:
//   nodes: the database's own numbers of the nodes of this batch, as load_nodes returned them
//   adjacent: list of [i, list of j], positions in nodes: an edge from i to every j
// columns:
//   written: number of relationships; 0 if a node of the batch is not there
// cost: bench/results/neo4j.md has it beside LOAD CSV and other forms
//
// The label is compared, too: the number of a node that somebody deleted may be another's by now.
UNWIND range(0, size($nodes) - 1) AS i
MATCH (node:{{node_label}})
WHERE id(node) = $nodes[i]
WITH node, i ORDER BY i
WITH collect(node) AS found WHERE size(found) = size($nodes)
UNWIND $adjacent AS row
WITH found, found[row[0]] AS a, row[1] AS after
UNWIND after AS j
WITH a, found[j] AS b
CREATE (a)-[edge:{{relationship_type}}]->(b)
RETURN count(edge) AS written
