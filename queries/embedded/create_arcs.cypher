// A new version's edge table of a directed graph; every edge once, with its ways.
//
// parameters: none
// columns: none
// cost: none
CREATE REL TABLE {{relationship_type}}(FROM {{node_label}} TO {{node_label}}, ways UINT8)
