// The public facts and the place of one graph.
//
// parameters:
//   name: the graph's name
// columns:
//   name, version: the graph, and a random number that each load or registration gets anew
//   nodeLabel, relationshipType, idProperty: where its nodes and edges are
//   nodeCount: number of nodes
//   degreeBound: the declared degree bound, or null
//   nodesSupplied: whether the curator supplied the nodes
//   loaded: true if edgedp wrote the graph, false if it was registered
//   digest: at an address, of the ids of all nodes, and whether directions are kept; null of every other graph
//   projection: which relationships make an edge, JSON; null: each of the type, whatever its direction
//   columns: null in Neo4j, where relationships have properties
//   titleProperty: the property of the nodes that is their title, or null
//   accounts: the ledgers that its releases debit, a list; null: that of its name
// cost: one row
MATCH (graph:EdgeDPStoredGraph {name: $name})
RETURN graph.name AS name, graph.version AS version, graph.nodeLabel AS nodeLabel,
       graph.relationshipType AS relationshipType, graph.idProperty AS idProperty, graph.nodeCount AS nodeCount,
       graph.degreeBound AS degreeBound, graph.nodesSupplied AS nodesSupplied, graph.loaded AS loaded,
       CASE WHEN graph.digest IS :: STRING THEN graph.digest ELSE '' END AS digest,
       graph.projection AS projection, graph.columns AS columns,
       graph.titleProperty AS titleProperty, CASE WHEN graph.accounts IS NULL THEN null
         WHEN graph.accounts IS :: LIST<STRING NOT NULL> NOT NULL THEN [each IN graph.accounts | each] ELSE [] END AS accounts
