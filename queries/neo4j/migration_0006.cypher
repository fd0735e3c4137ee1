// Version 6: tokens expire, and people have several, as the people's log says. No node changes; the number keeps programs
// away that would take a token that expired, or was ended by its name, for a good one.
//
// parameters: none
// columns:
//   version: 6; no row if the database is not of version 5 any more
// cost: one row
MATCH (schema:EdgeDPSchema {version: 5})
SET schema.version = 6
RETURN schema.version AS version
