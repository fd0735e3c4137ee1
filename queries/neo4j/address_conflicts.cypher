// Whose account an address has already, or one inside or around it; run it after account_open.
//
// parameters:
//   name: the graph's name
//   relationshipType: the address
// columns:
//   name, relationshipType: as in account_find; of other accounts alone, their logs and the registry
// cost: the registry and the logs
MATCH (account:EdgeDPAccount|EdgeDPEntry|EdgeDPStoredGraph)
WHERE NOT coalesce(account.loaded, false)
  AND account.relationshipType CONTAINS '://' AND account.name <> $name
  AND account.relationshipType <> $relationshipType
WITH DISTINCT account.name AS name, account.relationshipType AS type
WITH name, type, [kind IN [type, $relationshipType] |
  [part IN [CASE WHEN split(kind, '://')[0] IN ['s3', 's3n'] THEN 's3a' ELSE split(kind, '://')[0] END]
           + toLower(split(split(kind, '://')[1], '/')[0]) + split(split(kind, '://')[1], '/')[1..]
   WHERE part <> '']
] AS parts
WITH name, type, parts, CASE WHEN size(parts[0]) < size(parts[1]) THEN size(parts[0]) ELSE size(parts[1]) END AS short
WHERE parts[0][..short] = parts[1][..short]
RETURN name AS name, type AS relationshipType
