// Say in a transaction's metadata how far it is, beside what its caller has put there: SHOW TRANSACTIONS shows it.
//
// parameters:
//   told: how far it is, in words
// columns:
//   told: the same
// cost: none
CALL tx.getMetaData() YIELD metadata
WITH metadata{.*, edgedp: $told} AS told
CALL tx.setMetaData(told)
RETURN $told AS told
