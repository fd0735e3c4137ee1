// How many relationships are dated within all windows, and how many are not: exact, for the curator.
//
// parameters:
//   low, high, integers: as in adjacency_between, of all windows
// columns:
//   dated: how many are in a window
//   undated: how many have no date, one of another type, or one before the first window
// cost: one pass over the relationships
MATCH (:{{node_label}})-[edge:{{relationship_type}}]->(:{{node_label}})
WITH count(edge) AS whole,
     count(CASE WHEN edge.{{property}} >= $low AND edge.{{property}} < $high
                     AND (NOT $integers OR edge.{{property}} IS :: INTEGER NOT NULL) THEN 1 END) AS dated
RETURN dated AS dated, whole - dated AS undated
