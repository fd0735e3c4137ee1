// Ids of a version's nodes are unique, which also indexes them; run it when all is written, for an index of many nodes
// at once costs less than one node after the other. A graph of few nodes goes without: a change of the schema throws
// away every plan of the server.
//
// parameters: none
// columns: none
// cost: one pass over the nodes
CREATE CONSTRAINT {{constraint_name}} IF NOT EXISTS FOR (node:{{node_label}}) REQUIRE node.{{id_property}} IS UNIQUE
