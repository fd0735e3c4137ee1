// Which relationship types the ledgers account for; a ledger outlives its graph.
//
// parameters: none
// columns:
//   name, relationshipType: as in ledger_find; only ledgers of registered graphs
// cost: one row a ledger
MATCH (ledger:EdgeDPLedger)
WHERE ledger.relationshipType IS NOT NULL
RETURN ledger.name AS name, ledger.relationshipType AS relationshipType
