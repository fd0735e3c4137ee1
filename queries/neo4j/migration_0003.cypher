// Version 3: people with tokens, their shares of an account, and who asked in the log. Run it after what
// makes the constraints.
//
// parameters: none
// columns:
//   version: 3; no row if the database is not of version 2 any more
// cost: the debits
MATCH (schema:EdgeDPSchema {version: 2})
SET schema.version = 3
WITH schema
CALL () {
  MATCH (entry:EdgeDPEntry {kind: 'debit'})
  WHERE entry.analyst IS NULL
  SET entry.analyst = ''
}
RETURN schema.version AS version
