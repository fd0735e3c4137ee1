// Whose nodes and edges a graph's would be mixed with; run it under place_lock or after account_open.
//
// parameters:
//   name: the graph's name
//   nodeLabel: label of a registered graph's nodes; of a loaded one the label that people see
//   relationshipType: type of its relationships
//   loaded: whether edgedp writes the graph
// columns:
//   conflict: account, own_account, type, unfinished_type, label or registered_label
//   other: name of the other graph, or the other type
// cost: the registry
CALL () {
  MATCH (account:EdgeDPAccount)
  WHERE account.relationshipType = $relationshipType AND (account.name <> $name OR $loaded)
  RETURN 'account' AS conflict, account.name AS other
  UNION ALL
  MATCH (account:EdgeDPAccount)
  WHERE NOT $loaded AND $relationshipType CONTAINS '://' AND account.relationshipType CONTAINS '://'
    AND account.name <> $name AND account.relationshipType <> $relationshipType
  WITH account, [kind IN [account.relationshipType, $relationshipType] |
    [part IN [CASE WHEN split(kind, '://')[0] IN ['s3', 's3n'] THEN 's3a' ELSE split(kind, '://')[0] END]
             + toLower(split(split(kind, '://')[1], '/')[0]) + split(split(kind, '://')[1], '/')[1..]
     WHERE part <> '']
  ] AS parts
  WITH account, parts, CASE WHEN size(parts[0]) < size(parts[1]) THEN size(parts[0]) ELSE size(parts[1]) END AS short
  WHERE parts[0][..short] = parts[1][..short]
  RETURN 'account' AS conflict, account.name AS other
  UNION ALL
  MATCH (account:EdgeDPAccount {name: $name})
  WHERE NOT $loaded AND account.relationshipType <> $relationshipType
  RETURN 'own_account' AS conflict, account.relationshipType AS other
  UNION ALL
  MATCH (version:EdgeDPVersion)
  WHERE NOT $loaded AND coalesce(version.relationshipType, $relationshipType) = $relationshipType
  RETURN CASE WHEN version.current THEN 'type' ELSE 'unfinished_type' END AS conflict, version.name AS other
  UNION ALL
  MATCH (version:EdgeDPVersion)
  WHERE NOT $loaded AND version.displayLabel = $nodeLabel
  RETURN 'label' AS conflict, version.name AS other
  UNION ALL
  MATCH (graph:EdgeDPStoredGraph)
  WHERE $loaded AND NOT graph.loaded AND graph.nodeLabel = $nodeLabel
  RETURN 'registered_label' AS conflict, graph.name AS other
}
RETURN conflict AS conflict, other AS other
