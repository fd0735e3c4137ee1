// The registry's table.
//
// parameters: none
// columns: none
// cost: none
CREATE NODE TABLE IF NOT EXISTS EdgeDPGraph(
  name STRING PRIMARY KEY, version INT64, nodeLabel STRING, relationshipType STRING, idProperty STRING,
  nodeCount INT64, degreeBound INT64, nodesSupplied BOOLEAN, loaded BOOLEAN)
