// A request of an analyst, or of the direct callers, is debited once.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_entry_asker IF NOT EXISTS
FOR (entry:EdgeDPEntry) REQUIRE (entry.name, entry.analyst, entry.requestId) IS UNIQUE
