// Which registered graph has the label that people see on a loaded one's nodes; run it after type_conflicts.
//
// parameters:
//   nodeLabel: the label
// columns:
//   conflict: registered_label
//   other: name of the other graph
// cost: one row a graph
MATCH (graph:EdgeDPStoredGraph)
WHERE NOT graph.loaded AND graph.nodeLabel IS :: STRING NOT NULL
  AND $nodeLabel IN split(graph.nodeLabel, '|')
RETURN 'registered_label' AS conflict, graph.name AS other
