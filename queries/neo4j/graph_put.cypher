// Write a graph's row, new or in place of the one before.
//
// parameters:
//   name, version, nodeLabel, relationshipType, idProperty, nodeCount, degreeBound, nodesSupplied, loaded, digest,
//   projection, columns, titleProperty, accounts: as in graph_find
// columns: none
// cost: one row
MERGE (graph:EdgeDPStoredGraph {name: $name})
SET graph.version = $version, graph.nodeLabel = $nodeLabel, graph.relationshipType = $relationshipType,
    graph.idProperty = $idProperty, graph.nodeCount = $nodeCount, graph.degreeBound = $degreeBound,
    graph.nodesSupplied = $nodesSupplied, graph.loaded = $loaded, graph.digest = $digest,
    graph.projection = $projection, graph.columns = $columns, graph.titleProperty = $titleProperty,
    graph.accounts = $accounts
