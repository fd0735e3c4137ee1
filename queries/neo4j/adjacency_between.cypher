// The graph of the relationships that are dated within some windows, one row a node at which one of them starts.
//
// parameters:
//   low, high: when the first window begins, and when the one after the last does; of the type that dates have. What
//     has another type, or none, is in no window
//   integers: whether that type is an integer, which other numbers are compared with, too
//   where, moments: as in adjacency_where
// columns:
//   id: the node's id
//   neighbors: list of ids, in no order; one for each relationship, which stands in the row of its start
// cost: the relationships of the windows where an index finds them by their date, else one pass over all
MATCH (node:{{node_label}})-[edge:{{relationship_type}}]->(neighbor:{{node_label}})
WHERE edge.{{property}} >= $low AND edge.{{property}} < $high
  AND (NOT $integers OR edge.{{property}} IS :: INTEGER NOT NULL)
  AND all(asked IN $where WHERE CASE asked.comparison
    WHEN 'eq' THEN edge[asked.property] = asked.value
    WHEN 'in' THEN edge[asked.property] IN asked.value
    WHEN 'gte' THEN edge[asked.property] >= asked.value
    WHEN 'gt' THEN edge[asked.property] > asked.value
    WHEN 'lte' THEN edge[asked.property] <= asked.value
    WHEN 'lt' THEN edge[asked.property] < asked.value
  END)
  AND all(asked IN [each IN $moments | {comparison: each.comparison, value: each.value, found: CASE
    WHEN edge[each.property] IS :: DATE NOT NULL THEN datetime({date: edge[each.property], timezone: 'Z'})
    WHEN edge[each.property] IS :: LOCAL DATETIME NOT NULL OR edge[each.property] IS :: ZONED DATETIME NOT NULL
      THEN datetime.truncate('microsecond', datetime({datetime: edge[each.property], timezone: 'Z'}))
  END}] WHERE CASE asked.comparison
    WHEN 'eq' THEN asked.found = asked.value
    WHEN 'in' THEN asked.found IN asked.value
    WHEN 'gte' THEN asked.found >= asked.value
    WHEN 'gt' THEN asked.found > asked.value
    WHEN 'lte' THEN asked.found <= asked.value
    WHEN 'lt' THEN asked.found < asked.value
  END)
RETURN node.{{id_property}} AS id, collect(neighbor.{{id_property}}) AS neighbors
