// The store's secret; it never leaves the store.
//
// parameters: none
// columns:
//   secret: 32 bytes, hex
// cost: one row
MATCH (schema:EdgeDPSchema)
WHERE schema.secret IS NOT NULL
RETURN schema.secret AS secret
