// One row a graph in the registry.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_stored_graph IF NOT EXISTS FOR (graph:EdgeDPStoredGraph) REQUIRE graph.name IS UNIQUE
