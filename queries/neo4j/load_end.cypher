// The version is whole, or is gone: forget that it was left over.
//
// parameters:
//   nodeLabel: the version's label
// columns:
//   nodeLabel: no row if somebody else cleared it meanwhile
// cost: one row
MATCH (leftover:EdgeDPLeftover {nodeLabel: $nodeLabel})
WITH leftover, leftover.nodeLabel AS nodeLabel
DELETE leftover
RETURN nodeLabel
