-- Remember the fingerprint of edges that were loaded under a name.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   fingerprint: HMAC of the adjacency under the store's secret, hex
-- columns: none
-- cost: one row
INSERT INTO fingerprints (name, fingerprint)
VALUES ($name, $fingerprint)
ON CONFLICT DO NOTHING
