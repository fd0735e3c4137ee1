-- Where every graph has its nodes and edges, to keep two graphs from sharing edges.
--
-- complete: always
-- parameters: none
-- columns:
--   name, version, nodeLabel, relationshipType, loaded: as in graph_find
-- cost: one row a graph
SELECT name AS name, version AS version, nodeLabel AS nodeLabel, relationshipType AS relationshipType, loaded AS loaded, sound
FROM graph
