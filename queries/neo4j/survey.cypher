// What is public about a graph's nodes, and what a registration and a release check of it.
//
// parameters:
//   nodeLabel: their label
// columns:
//   nodes: number of nodes with the label
//   identified: how many have the id property
//   distinctIds: how many different values it has
//   types: the types of its values
//   empty: how many of them are an empty text
//   ours: how many carry another label of edgedp's own
//   candidates: how many are ranked: all, or those with the candidates' label
// cost: one pass over the nodes
MATCH (node:{{node_label}})
RETURN count(node) AS nodes, count(node.{{id_property}}) AS identified,
       count(DISTINCT node.{{id_property}}) AS distinctIds,
       collect(DISTINCT valueType(node.{{id_property}})) AS types,
       count(CASE WHEN node.{{id_property}} = '' THEN 1 END) AS empty,
       count(CASE WHEN any(label IN labels(node) WHERE label STARTS WITH 'EdgeDP' AND label <> $nodeLabel)
                  THEN 1 END) AS ours,
       count(CASE WHEN node:{{candidate_label}} THEN 1 END) AS candidates
