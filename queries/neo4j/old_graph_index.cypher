// Shut the loads and registrations of edgedp 0.1.0 out at their first statement: it is the constraint edgedp_graph,
// which cannot be made beside this index.
//
// parameters: none
// columns: none
// cost: none
CREATE INDEX edgedp_needs_a_newer_edgedp IF NOT EXISTS FOR (graph:EdgeDPGraph) ON (graph.name)
