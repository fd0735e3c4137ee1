// One row a graph in the registry.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_graph IF NOT EXISTS FOR (graph:EdgeDPGraph) REQUIRE graph.name IS UNIQUE
