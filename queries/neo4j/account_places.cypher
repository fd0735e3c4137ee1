// Which relationship types the accounts are for, by the accounts, their logs and the registry: one that somebody deleted
// is there still. An account outlives its graph; a graph that owns no account is none.
//
// parameters: none
// columns:
//   name, relationshipType: as in account_find; only accounts of registered graphs
//   lost: whether the account is gone, or does not say its type
// cost: one row an account, and the logs
MATCH (place:EdgeDPAccount|EdgeDPEntry|EdgeDPStoredGraph)
WHERE place.relationshipType IS NOT NULL AND NOT coalesce(place.loaded, false) AND place.accounts IS NULL
WITH DISTINCT place.name AS name, place.relationshipType AS relationshipType
RETURN name AS name, relationshipType AS relationshipType,
       NOT EXISTS { MATCH (account:EdgeDPAccount {name: name}) WHERE account.relationshipType = relationshipType } AS lost
