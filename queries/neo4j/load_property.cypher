// Write the values of a property to a batch of nodes that are there.
//
// parameters:
//   nodes: the database's own numbers of the nodes of this batch, as load_nodes returned them
//   values: one value a node, in that order; null writes nothing
// columns:
//   written: number of nodes; fewer than values if a node of the batch is not there
// cost: as load_nodes
UNWIND range(0, size($nodes) - 1) AS i
MATCH (node:{{node_label}})
WHERE id(node) = $nodes[i]
SET node.{{property}} = $values[i]
RETURN count(node) AS written
