// A request is debited once.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_entry_request IF NOT EXISTS
FOR (entry:EdgeDPEntry) REQUIRE (entry.name, entry.requestId) IS UNIQUE
