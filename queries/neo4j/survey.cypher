// What a registration must know about the nodes.
//
// parameters: none
// columns:
//   nodes: number of nodes with the label
//   identified: how many have the id property
//   distinctIds: how many different values it has
//   types: the types of its values
// cost: one pass over the nodes
MATCH (node:{{node_label}})
RETURN count(node) AS nodes, count(node.{{id_property}}) AS identified,
       count(DISTINCT node.{{id_property}}) AS distinctIds,
       collect(DISTINCT valueType(node.{{id_property}})) AS types
