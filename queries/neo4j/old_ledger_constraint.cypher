// Shut edgedp 0.1.0 out: it sets held to true or false on every ledger that it makes or locks, and the two
// sentinels that schema_begin or a migration makes have both values.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_old_ledger IF NOT EXISTS FOR (ledger:EdgeDPLedger) REQUIRE ledger.held IS UNIQUE
