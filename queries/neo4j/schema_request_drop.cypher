// Give up the constraint of version 2, by which a request of all analysts together was debited once.
//
// parameters: none
// columns: none
// cost: none
DROP CONSTRAINT edgedp_entry_request IF EXISTS
