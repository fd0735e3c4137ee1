-- The public facts and the place of one graph.
--
-- complete: when empty
-- parameters:
--   name: the graph's name
-- columns:
--   name, version: the graph, and a random number that each load or registration gets anew
--   nodeLabel, relationshipType, idProperty: where its nodes and edges are
--   nodeCount: number of nodes
--   degreeBound: the declared degree bound, or null
--   nodesSupplied: whether the curator supplied the nodes
--   loaded: true if edgedp wrote the graph, false if it was registered
--   digest: SHA-256 of each file of the version, hex; null in Neo4j
--   projection: which relationships, or rows, make an edge, JSON; null: each
--   columns: the types of the columns that are kept of the rows, JSON; null: none are kept
--   titleProperty: the property of the nodes that is their title; null in SQLite, where titles are in the version's files
--   accounts: the ledgers that its releases debit; null in SQLite: that of its name
-- cost: one row
SELECT name AS name, version AS version, nodeLabel AS nodeLabel, relationshipType AS relationshipType,
       idProperty AS idProperty, nodeCount AS nodeCount, degreeBound AS degreeBound,
       nodesSupplied AS nodesSupplied, loaded AS loaded, digest AS digest, projection AS projection,
       columns AS columns, NULL AS titleProperty, NULL AS accounts, sound
FROM graph
WHERE name = $name
