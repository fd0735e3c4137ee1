// How many triangles there are.
//
// parameters: none
// columns:
//   value: number of triangles; parallel relationships count once, loops not at all
// cost: see bench/results/neo4j.md
//
// `ends`: every edge among a node's neighbours, from both of its ends; so each triangle six times. The join hint is
// that of density.
MATCH (node:{{node_label}})
CALL (node) {
  MATCH (node)-[:{{relationship_type}}]-(x:{{node_label}})-[:{{relationship_type}}]-(y:{{node_label}})-[:{{relationship_type}}]-(node)
  USING JOIN ON x
  WHERE x <> node AND y <> node AND x <> y
  WITH DISTINCT x, y
  RETURN count(*) AS ends
}
RETURN coalesce(sum(ends), 0) / 6 AS value
