// Which accounts, logs or graphs have a relationship type already; run it under place_lock or after account_open.
//
// parameters:
//   names: of a registered graph its name and the accounts of its types, whose own they are; of a loaded graph none
//   relationshipType: type of its relationships, or several with | between
// columns:
//   conflict: account, lost_account or escaped_account; of a lost account the log or the registry names the type, and no
//     account does
//   other: name of the other graph
// cost: the registry and the logs
//
// Earlier versions took a type that held an escape, such as FOLLOW\u0053, and read FOLLOWS: whatever begins like it is
// taken for the same.
MATCH (claim:EdgeDPAccount|EdgeDPEntry|EdgeDPStoredGraph)
WHERE claim.relationshipType IS :: STRING NOT NULL
  AND any(kind IN split(claim.relationshipType, '|') WHERE kind IN split($relationshipType, '|')
    OR (kind =~ '.*\\\\u[0-9a-fA-F]{4}.*'
      AND any(asked IN split($relationshipType, '|') WHERE asked STARTS WITH split(kind, '\\u')[0])))
  AND NOT coalesce(claim.loaded, false) AND NOT claim.name IN $names
  AND claim.accounts IS NULL // a graph that owns none
WITH DISTINCT claim.name AS other, claim.relationshipType AS type
RETURN CASE WHEN NOT any(kind IN split(type, '|') WHERE kind IN split($relationshipType, '|')) THEN 'escaped_account'
            WHEN EXISTS { MATCH (:EdgeDPAccount {name: other, relationshipType: type}) }
            THEN 'account' ELSE 'lost_account' END AS conflict, other AS other
