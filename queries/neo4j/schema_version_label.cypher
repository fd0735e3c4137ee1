// One row a version.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_version IF NOT EXISTS FOR (version:EdgeDPVersion) REQUIRE version.nodeLabel IS UNIQUE
