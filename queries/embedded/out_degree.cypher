// The out-degree of all nodes of a directed graph.
//
// parameters: none
// columns:
//   id: node id
//   value: number of nodes with an arc from it
// cost: about twice degree's
MATCH (node:{{node_label}})
RETURN node.{{id_property}} AS id,
       COUNT { MATCH (node)-[edge:{{relationship_type}}]->(:{{node_label}}) WHERE edge.ways <> 2 }
       + COUNT { MATCH (node)<-[edge:{{relationship_type}}]-(:{{node_label}}) WHERE edge.ways <> 1 } AS value
