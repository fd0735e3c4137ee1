// Version 4: every row of the log says what the account was then, and what it is for. The rows that are there stay as they
// are: an account has terms from its first debit or load on.
//
// parameters: none
// columns:
//   version: 4; no row if the database is not of version 3 any more
// cost: one row
MATCH (schema:EdgeDPSchema {version: 3})
SET schema.version = 4
RETURN schema.version AS version
