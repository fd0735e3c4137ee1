// The table of the properties of a version's nodes, packed.
//
// parameters: none
// columns: none
// cost: none
CREATE NODE TABLE {{node_label}}(key INT64 PRIMARY KEY, name STRING, encoding STRING, content BLOB)
