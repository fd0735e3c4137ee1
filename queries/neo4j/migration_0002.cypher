// Version 2: accounts and a log in place of the ledgers and releases of edgedp 0.1.0, under labels that it does not
// know. Run it after schema_begin and old_lock in the same transaction.
//
// parameters:
//   graphs: list of maps, the columns of old_graphs
//   versions: list of maps with name, nodeLabel, relationshipType, constraintName and current of the loaded ones
//   accounts: list of maps, the columns of account_find
//   entries: list of maps, the columns of log_list, with delta and relationshipType of the account
// columns:
//   version: 2
// cost: the rows of 0.1.0
MATCH (schema:EdgeDPSchema {version: 1})
SET schema.version = 2
WITH schema
CALL () {
  UNWIND $graphs AS row
  CREATE (graph:EdgeDPStoredGraph)
  SET graph = row
}
CALL () {
  UNWIND $accounts AS row
  CREATE (account:EdgeDPAccount)
  SET account = row
}
CALL () {
  UNWIND $entries AS row
  CREATE (entry:EdgeDPEntry)
  SET entry = row
}
CALL () {
  UNWIND $versions AS row
  CREATE (version:EdgeDPVersion)
  SET version = row
}
CALL () {
  MATCH (leftover:EdgeDPLeftover)
  MERGE (version:EdgeDPVersion {nodeLabel: leftover.nodeLabel})
  SET version.name = leftover.graph, version.constraintName = leftover.constraintName, version.current = false
  DETACH DELETE leftover
}
CALL () {
  MATCH (old:EdgeDPGraph|EdgeDPRelease|EdgeDPBudgetChange)
  DETACH DELETE old
}
CALL () {
  MATCH (old:EdgeDPLedger)
  WHERE old.name IS NOT NULL
  DETACH DELETE old
}
RETURN schema.version AS version
