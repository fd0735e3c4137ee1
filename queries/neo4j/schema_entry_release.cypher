// A release has one debit, and at most one answer.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_entry_release IF NOT EXISTS
FOR (entry:EdgeDPEntry) REQUIRE (entry.releaseId, entry.kind) IS UNIQUE
