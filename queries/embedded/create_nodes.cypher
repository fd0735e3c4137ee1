// A new version's node table, with integer ids.
//
// parameters: none
// columns: none
// cost: none
CREATE NODE TABLE {{node_label}}(id INT64 PRIMARY KEY)
