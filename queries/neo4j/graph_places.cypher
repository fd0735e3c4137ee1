// Where every graph has its nodes and edges, to keep two graphs from sharing edges.
//
// parameters: none
// columns:
//   name, version, nodeLabel, relationshipType, loaded: as in graph_find
// cost: one row a graph
MATCH (graph:EdgeDPStoredGraph)
RETURN graph.name AS name, graph.version AS version, graph.nodeLabel AS nodeLabel,
       graph.relationshipType AS relationshipType, graph.loaded AS loaded
