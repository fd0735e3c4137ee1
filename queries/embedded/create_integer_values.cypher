// The table of a property of a version's nodes, of integers.
//
// parameters: none
// columns: none
// cost: none
CREATE NODE TABLE {{node_label}}(position INT64 PRIMARY KEY, value INT64)
