// Versions of a graph that are in the database and not current.
//
// parameters:
//   name: the graph's name
// columns:
//   nodeLabel, constraintName: as in load_begin
// cost: the versions
MATCH (version:EdgeDPVersion {name: $name, current: false})
RETURN version.nodeLabel AS nodeLabel, version.constraintName AS constraintName
