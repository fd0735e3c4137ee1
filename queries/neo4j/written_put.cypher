// Note that a release of this graph wrote a property; in the caller's transaction, as its marks.
//
// parameters:
//   name: the graph's name
//   property: name of the property
//   nodeLabel: the labels whose nodes the graph ranks
// columns: none
// cost: one row
MERGE (:EdgeDPWritten {name: $name, property: $property, nodeLabel: $nodeLabel})
