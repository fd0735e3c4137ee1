// Which addresses have an account that was not compared with a new one's yet; run it after account_open.
//
// parameters:
//   name: the graph's name
//   relationshipType: the address
//   apart: addresses that were compared with it, and are other places
// columns:
//   name, relationshipType: as in account_find; of other accounts alone, their logs and the registry
// cost: the registry and the logs
//
// Which spellings are one place is for the program to say, in one place; one that came meanwhile is not among those.
MATCH (account:EdgeDPAccount|EdgeDPEntry|EdgeDPStoredGraph)
WHERE NOT coalesce(account.loaded, false) AND account.accounts IS NULL
  AND account.relationshipType CONTAINS '://' AND account.name <> $name
  AND account.relationshipType <> $relationshipType AND NOT account.relationshipType IN $apart
RETURN DISTINCT account.name AS name, account.relationshipType AS relationshipType
