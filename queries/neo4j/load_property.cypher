// Write the values of a property to a batch of nodes that are there.
//
// parameters:
//   ids: ids of the nodes of this batch
//   values: one value a node, in that order; null writes nothing
// columns:
//   written: number of nodes; fewer than ids if a node of the batch is not there
// cost: as load_nodes
UNWIND range(0, size($ids) - 1) AS i
MATCH (node:{{node_label}} { {{id_property}}: $ids[i] })
SET node.{{property}} = $values[i]
RETURN count(node) AS written
