// Where every graph has its nodes and edges, to keep two graphs from sharing edges.
//
// parameters: none
// columns:
//   name, nodeLabel, relationshipType, loaded: as in graph_find
// cost: one row a graph
MATCH (graph:EdgeDPGraph)
RETURN graph.name AS name, graph.nodeLabel AS nodeLabel, graph.relationshipType AS relationshipType,
       graph.loaded AS loaded
