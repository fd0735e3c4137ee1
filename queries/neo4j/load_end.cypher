// The version is whole: it is about to be its graph's current one.
//
// parameters:
//   nodeLabel: the version's label
// columns:
//   nodeLabel: no row if somebody else cleared it meanwhile
// cost: one row
MATCH (version:EdgeDPVersion {nodeLabel: $nodeLabel, current: false})
SET version.current = true
RETURN version.nodeLabel AS nodeLabel
