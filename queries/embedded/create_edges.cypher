// A new version's edge table; every edge once.
//
// parameters: none
// columns: none
// cost: none
CREATE REL TABLE {{relationship_type}}(FROM {{node_label}} TO {{node_label}})
