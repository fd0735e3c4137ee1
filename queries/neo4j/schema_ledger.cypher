// One ledger a graph name.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_ledger IF NOT EXISTS FOR (ledger:EdgeDPLedger) REQUIRE ledger.name IS UNIQUE
