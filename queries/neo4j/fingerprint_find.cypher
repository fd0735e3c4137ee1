// Under which names the same edges were loaded before.
//
// parameters:
//   fingerprint: as in fingerprint_put
// columns:
//   name: a name
// cost: one row a name
MATCH (loaded:EdgeDPFingerprint {fingerprint: $fingerprint})
RETURN loaded.name AS name
ORDER BY name
