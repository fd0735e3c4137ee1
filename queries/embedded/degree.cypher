// The degree of all nodes.
//
// parameters: none
// columns:
//   id: node id
//   value: number of neighbours
// cost: 0.1 s for 36,692 nodes
MATCH (node:{{node_label}})
RETURN node.{{id_property}} AS id, COUNT { MATCH (node)-[:{{relationship_type}}]-(:{{node_label}}) } AS value
