// One account a relationship type: two registrations at the same time cannot both be written.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_account_type IF NOT EXISTS
FOR (account:EdgeDPAccount) REQUIRE account.relationshipType IS UNIQUE
