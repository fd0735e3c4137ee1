// One ledger a relationship type: two registrations at the same time cannot both be written.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_ledger_type IF NOT EXISTS
FOR (ledger:EdgeDPLedger) REQUIRE ledger.relationshipType IS UNIQUE
