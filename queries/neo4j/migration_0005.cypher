// Version 5: several graphs may share the account of a relationship type, and a release debits that of each type that it
// reads. The accounts and logs that are there stay as they are; what knows one account a graph is shut out.
//
// parameters: none
// columns:
//   version: 5; no row if the database is not of version 4 any more
// cost: one row
MATCH (schema:EdgeDPSchema {version: 4})
SET schema.version = 5
RETURN schema.version AS version
