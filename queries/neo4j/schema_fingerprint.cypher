// One row a name and fingerprint.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_fingerprint IF NOT EXISTS
FOR (loaded:EdgeDPFingerprint) REQUIRE (loaded.fingerprint, loaded.name) IS UNIQUE
