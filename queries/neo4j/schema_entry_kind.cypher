// Finds the releases of one graph in their order, and counts them.
//
// parameters: none
// columns: none
// cost: none
CREATE INDEX edgedp_entry_kind IF NOT EXISTS FOR (entry:EdgeDPEntry) ON (entry.name, entry.kind, entry.seq)
