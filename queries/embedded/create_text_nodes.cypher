// A new version's node table, with text ids.
//
// parameters: none
// columns: none
// cost: none
CREATE NODE TABLE {{node_label}}(id STRING PRIMARY KEY)
