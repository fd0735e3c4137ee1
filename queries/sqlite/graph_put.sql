-- Write a graph's row, new or in place of the one before.
--
-- complete: never (a write)
-- parameters:
--   name, version, nodeLabel, relationshipType, idProperty, nodeCount, degreeBound, nodesSupplied, loaded, digest: as in
--   graph_find
--   projection, columns: as in graph_find
--   titleProperty, accounts: null; of any other nothing is written, for no graph of this store has one
-- columns: none
-- cost: one row
INSERT INTO graphs (name, version, nodeLabel, relationshipType, idProperty, nodeCount, degreeBound,
                    nodesSupplied, loaded, digest, projection, columns)
SELECT $name, $version, $nodeLabel, $relationshipType, $idProperty, $nodeCount, $degreeBound,
       $nodesSupplied, $loaded, $digest, $projection, $columns
WHERE $titleProperty IS NULL AND $accounts IS NULL
ON CONFLICT (name) DO UPDATE
SET version = excluded.version, nodeLabel = excluded.nodeLabel, relationshipType = excluded.relationshipType,
    idProperty = excluded.idProperty, nodeCount = excluded.nodeCount, degreeBound = excluded.degreeBound,
    nodesSupplied = excluded.nodesSupplied, loaded = excluded.loaded, digest = excluded.digest,
    projection = excluded.projection, columns = excluded.columns
