// Which version of edgedp's own nodes this database holds.
//
// parameters: none
// columns:
//   version: number of the last migration; no row where edgedp never wrote, or edgedp 0.1.0 did
// cost: one row
MATCH (schema:EdgeDPSchema)
RETURN schema.version AS version
ORDER BY version DESC
LIMIT 1
