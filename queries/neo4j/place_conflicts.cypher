// Whose nodes and edges a graph's would be mixed with; run it under place_lock or after account_open.
//
// parameters:
//   name: the graph's name
//   nodeLabel: label of a registered graph's nodes, or several with | between; of a loaded one the label that people see
//   relationshipType: type of its relationships, or several with | between
//   loaded: whether edgedp writes the graph
//   accounts: of a registered graph the accounts of its types, which a release debits
// columns:
//   conflict: account, lost_account, escaped_account, own_account, type, unfinished_type, label or registered_label; of a lost account the
//     log or the registry names the type, and no account does
//   other: name of the other graph, or the other type
// cost: the registry and the logs
//
// Earlier versions took a type that held an escape, such as FOLLOW\u0053, and read FOLLOWS: whatever begins like it is
// taken for the same.
CALL () {
  MATCH (claim:EdgeDPAccount|EdgeDPEntry|EdgeDPStoredGraph)
  WHERE claim.relationshipType IS :: STRING NOT NULL
    AND any(kind IN split(claim.relationshipType, '|') WHERE kind IN split($relationshipType, '|')
      OR (kind =~ '.*\\\\u[0-9a-fA-F]{4}.*'
        AND any(asked IN split($relationshipType, '|') WHERE asked STARTS WITH split(kind, '\\u')[0])))
    AND NOT coalesce(claim.loaded, false) AND ($loaded OR NOT claim.name IN $accounts + [$name])
    AND claim.accounts IS NULL // a graph that owns none
  WITH DISTINCT claim.name AS other, claim.relationshipType AS type
  RETURN CASE WHEN NOT any(kind IN split(type, '|') WHERE kind IN split($relationshipType, '|')) THEN 'escaped_account'
              WHEN EXISTS { MATCH (:EdgeDPAccount {name: other, relationshipType: type}) }
              THEN 'account' ELSE 'lost_account' END AS conflict, other AS other
  UNION ALL
  MATCH (account:EdgeDPAccount|EdgeDPEntry|EdgeDPStoredGraph)
  WHERE NOT $loaded AND NOT coalesce(account.loaded, false) AND $relationshipType CONTAINS '://'
    AND account.relationshipType CONTAINS '://' AND account.name <> $name
    AND account.relationshipType <> $relationshipType
  WITH DISTINCT account.name AS name, account.relationshipType AS type
  WITH name, [kind IN [type, $relationshipType] |
    [part IN [CASE WHEN split(kind, '://')[0] IN ['s3', 's3n'] THEN 's3a' ELSE split(kind, '://')[0] END]
             + toLower(split(split(kind, '://')[1], '/')[0]) + split(split(kind, '://')[1], '/')[1..]
     WHERE part <> '']
  ] AS parts
  WITH name, parts, CASE WHEN size(parts[0]) < size(parts[1]) THEN size(parts[0]) ELSE size(parts[1]) END AS short
  WHERE parts[0][..short] = parts[1][..short]
  RETURN 'account' AS conflict, name AS other
  UNION ALL
  MATCH (account:EdgeDPAccount|EdgeDPEntry {name: $name})
  WHERE NOT $loaded AND account.relationshipType IS :: STRING NOT NULL
    AND none(kind IN split(account.relationshipType, '|') WHERE kind IN split($relationshipType, '|'))
  RETURN DISTINCT 'own_account' AS conflict, account.relationshipType AS other
  UNION ALL
  MATCH (version:EdgeDPVersion)
  WHERE NOT $loaded
    AND (version.relationshipType IS NULL OR version.relationshipType IN split($relationshipType, '|'))
  RETURN CASE WHEN version.current THEN 'type' ELSE 'unfinished_type' END AS conflict, version.name AS other
  UNION ALL
  MATCH (graph:EdgeDPStoredGraph)
  WHERE NOT $loaded AND graph.loaded AND graph.relationshipType IN split($relationshipType, '|')
  RETURN 'type' AS conflict, graph.name AS other
  UNION ALL
  MATCH (version:EdgeDPVersion)
  WHERE NOT $loaded AND version.displayLabel IN split($nodeLabel, '|')
  RETURN 'label' AS conflict, version.name AS other
  UNION ALL
  MATCH (graph:EdgeDPStoredGraph)
  WHERE $loaded AND NOT graph.loaded AND graph.nodeLabel IS :: STRING NOT NULL
    AND $nodeLabel IN split(graph.nodeLabel, '|')
  RETURN 'registered_label' AS conflict, graph.name AS other
}
RETURN conflict AS conflict, other AS other
