// Declare the largest cost of one release.
//
// parameters:
//   name: the graph's name
//   maxPerRelease: nano-epsilon
// columns: none
// cost: one row
MATCH (ledger:EdgeDPLedger {name: $name})
SET ledger.maxPerRelease = $maxPerRelease
