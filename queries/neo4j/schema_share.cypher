// One share an analyst of an account.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_share IF NOT EXISTS
FOR (share:EdgeDPShare) REQUIRE (share.name, share.analyst, share.account) IS UNIQUE
