// A database that edgedp never wrote to is of this version at once; run it after schema_begin.
//
// parameters: none
// columns:
//   version: no row where there is anything that a migration looks at
// cost: one row
MATCH (schema:EdgeDPSchema {version: 1})
WHERE NOT EXISTS { MATCH (ledger:EdgeDPLedger) WHERE ledger.name IS NOT NULL }
  AND NOT EXISTS { MATCH (:EdgeDPGraph) } AND NOT EXISTS { MATCH (:EdgeDPRelease) }
  AND NOT EXISTS { MATCH (:EdgeDPBudgetChange) } AND NOT EXISTS { MATCH (:EdgeDPLeftover) }
  AND NOT EXISTS { MATCH (:EdgeDPEntry) }
SET schema.version = 6
RETURN schema.version AS version
