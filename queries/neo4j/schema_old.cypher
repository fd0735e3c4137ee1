// Whether edgedp 0.1.0 wrote here and its rows were not migrated yet.
//
// parameters: none
// columns:
//   old: true or false; the two sentinels are not its rows
// cost: the ledgers and graphs of 0.1.0
RETURN EXISTS { MATCH (ledger:EdgeDPLedger) WHERE ledger.name IS NOT NULL }
       OR EXISTS { MATCH (:EdgeDPGraph) }
       OR EXISTS { MATCH (:EdgeDPRelease) } AS old
