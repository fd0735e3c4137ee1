-- Write a graph's row, new or in place of the one before.
--
-- complete: never (a write)
-- parameters:
--   name, version, nodeLabel, relationshipType, idProperty, nodeCount, degreeBound, nodesSupplied, loaded, digest: as in
--   graph_find
-- columns: none
-- cost: one row
INSERT INTO graphs (name, version, nodeLabel, relationshipType, idProperty, nodeCount, degreeBound,
                    nodesSupplied, loaded, digest)
VALUES ($name, $version, $nodeLabel, $relationshipType, $idProperty, $nodeCount, $degreeBound,
        $nodesSupplied, $loaded, $digest)
ON CONFLICT (name) DO UPDATE
SET version = excluded.version, nodeLabel = excluded.nodeLabel, relationshipType = excluded.relationshipType,
    idProperty = excluded.idProperty, nodeCount = excluded.nodeCount, degreeBound = excluded.degreeBound,
    nodesSupplied = excluded.nodesSupplied, loaded = excluded.loaded, digest = excluded.digest
