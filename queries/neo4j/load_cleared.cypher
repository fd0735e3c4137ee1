// The version's nodes and edges are gone: forget it.
//
// parameters:
//   nodeLabel: the version's label
// columns: none
// cost: one row
MATCH (version:EdgeDPVersion {nodeLabel: $nodeLabel, current: false})
DELETE version
