// Whose nodes and edges a registered graph's would be mixed with; run it after type_conflicts.
//
// parameters:
//   name: the graph's name
//   nodeLabel: label of its nodes, or several with | between
//   relationshipType: type of its relationships, or several with | between
// columns:
//   conflict: own_account, type, unfinished_type or label
//   other: name of the other graph, or the other type
// cost: the registry and the rows of the graph's own log
MATCH (account:EdgeDPAccount|EdgeDPEntry {name: $name})
WHERE account.relationshipType IS :: STRING NOT NULL
  AND none(kind IN split(account.relationshipType, '|') WHERE kind IN split($relationshipType, '|'))
RETURN DISTINCT 'own_account' AS conflict, account.relationshipType AS other
UNION ALL
MATCH (version:EdgeDPVersion)
WHERE version.relationshipType IS NULL OR version.relationshipType IN split($relationshipType, '|')
RETURN CASE WHEN version.current THEN 'type' ELSE 'unfinished_type' END AS conflict, version.name AS other
UNION ALL
MATCH (graph:EdgeDPStoredGraph)
WHERE graph.loaded AND graph.relationshipType IN split($relationshipType, '|')
RETURN 'type' AS conflict, graph.name AS other
UNION ALL
MATCH (version:EdgeDPVersion)
WHERE version.displayLabel IN split($nodeLabel, '|')
RETURN 'label' AS conflict, version.name AS other
