// Each row of a log has a number of its own; also finds the rows of one graph.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_entry IF NOT EXISTS FOR (entry:EdgeDPEntry) REQUIRE (entry.name, entry.seq) IS UNIQUE
