// Ids of a version's nodes are unique, which also indexes them.
//
// parameters: none
// columns: none
// cost: none on an empty label
CREATE CONSTRAINT {{constraint_name}} IF NOT EXISTS FOR (node:{{node_label}}) REQUIRE node.{{id_property}} IS UNIQUE
