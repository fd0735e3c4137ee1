// One account a graph name.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_account IF NOT EXISTS FOR (account:EdgeDPAccount) REQUIRE account.name IS UNIQUE
