// One version of edgedp's own nodes.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_schema IF NOT EXISTS FOR (schema:EdgeDPSchema) REQUIRE schema.only IS UNIQUE
