// Finds the releases of one analyst in their order.
//
// parameters: none
// columns: none
// cost: none
CREATE INDEX edgedp_entry_analyst IF NOT EXISTS FOR (entry:EdgeDPEntry) ON (entry.analyst, entry.name, entry.seq)
