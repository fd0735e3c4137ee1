// Remember the fingerprint of edges that were loaded under a name.
//
// parameters:
//   name: the graph's name
//   fingerprint: HMAC of the adjacency under the store's secret, hex
// columns: none
// cost: one row
MERGE (:EdgeDPFingerprint {name: $name, fingerprint: $fingerprint})
