// How many neighbours two nodes share.
//
// parameters:
//   first, second: their ids (values of the id property)
// columns:
//   value: number of nodes; parallel relationships count once
// cost: the neighbours of the two
MATCH (a:{{node_label}} { {{id_property}}: $first }), (b:{{node_label}} { {{id_property}}: $second })
RETURN COUNT {
  MATCH (a)-[:{{relationship_type}}]-(shared:{{node_label}})-[:{{relationship_type}}]-(b)
  WHERE shared <> a AND shared <> b
  RETURN DISTINCT shared
} AS value
