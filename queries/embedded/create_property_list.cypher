// The properties of a version's nodes: where the values of each are, and how.
//
// parameters: none
// columns: none
// cost: none
CREATE NODE TABLE {{node_label}}(place INT64 PRIMARY KEY, name STRING, encoding STRING)
