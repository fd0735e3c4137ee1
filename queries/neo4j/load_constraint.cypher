// Ids of a version's nodes are unique, which also indexes them. A graph of few nodes goes without: a change of
// the schema throws away every plan of the server.
//
// parameters: none
// columns: none
// cost: none on an empty label
CREATE CONSTRAINT {{constraint_name}} IF NOT EXISTS FOR (node:{{node_label}}) REQUIRE node.{{id_property}} IS UNIQUE
