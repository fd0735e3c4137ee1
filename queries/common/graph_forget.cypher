// Delete a graph's row; its ledger stays.
//
// parameters:
//   name: the graph's name
// columns: none
// cost: one row
MATCH (graph:EdgeDPGraph {name: $name})
DELETE graph
