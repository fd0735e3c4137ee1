// What Neo4j calls the nodes of some ids.
//
// parameters:
//   ids: list of values of the id property
// columns:
//   id: one of them that a node has
//   nodeId: the node's element id
// cost: an index lookup each; without an index one pass over the nodes, however many ids are asked for
MATCH (node:{{node_label}})
WHERE node.{{id_property}} IN $ids
RETURN node.{{id_property}} AS id, elementId(node) AS nodeId
