// The registry of edgedp 0.1.0.
//
// parameters: none
// columns:
//   name, version, nodeLabel, relationshipType, idProperty, nodeCount, degreeBound, nodesSupplied, loaded: as in
//   graph_find
// cost: one row a graph
MATCH (graph:EdgeDPGraph)
RETURN graph.name AS name, graph.version AS version, graph.nodeLabel AS nodeLabel,
       graph.relationshipType AS relationshipType, graph.idProperty AS idProperty, graph.nodeCount AS nodeCount,
       graph.degreeBound AS degreeBound, graph.nodesSupplied AS nodesSupplied, graph.loaded AS loaded
ORDER BY name
