// Drop the constraint that edgedp 0.1.0 makes before it loads or registers; old_graph_index takes its place.
//
// parameters: none
// columns: none
// cost: none
DROP CONSTRAINT edgedp_graph IF EXISTS
