// Make sure that the store has a secret; one that is there is kept.
//
// parameters:
//   secret: 32 random bytes, hex
// columns: none
// cost: one row
MATCH (schema:EdgeDPSchema)
SET schema.secret = coalesce(schema.secret, $secret)
