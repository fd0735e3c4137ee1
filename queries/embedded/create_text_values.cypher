// The table of a property of a version's nodes, of values in JSON.
//
// parameters: none
// columns: none
// cost: none
CREATE NODE TABLE {{node_label}}(position INT64 PRIMARY KEY, value STRING)
