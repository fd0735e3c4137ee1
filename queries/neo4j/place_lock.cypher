// Take the lock of the whole registry until the transaction ends: nobody else loads or registers meanwhile.
//
// parameters: none
// columns:
//   version: the version of edgedp's nodes; no row if it is not this one's
// cost: one row
MATCH (schema:EdgeDPSchema {version: 6})
SET schema.held = true
RETURN schema.version AS version
