// Begin: edgedp's version node, locked until the transaction ends, and the two sentinels of old_ledger_constraint.
//
// parameters: none
// columns:
//   version: 1 where nothing was migrated yet
// cost: three rows
MERGE (schema:EdgeDPSchema {only: true})
ON CREATE SET schema.version = 1
SET schema.held = true
WITH schema
WHERE schema.version = 1
MERGE (yes:EdgeDPLedger {held: true})
MERGE (no:EdgeDPLedger {held: false})
RETURN schema.version AS version
