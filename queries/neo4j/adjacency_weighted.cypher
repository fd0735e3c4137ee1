// The graph of relationships that weigh something, one row a node: which nodes they point to, and their weights.
//
// parameters:
//   weight: the property that holds the weights; null where relationships are counted, and each weighs 1
//   date, low, high, integers: the property of dates, and the rest as in adjacency_between; date is null for all
//   where, moments: as in adjacency_where
// columns:
//   id: the node's id
//   neighbors: list of ids, in no order; one for each relationship, which stands in the row of its start
//   weights: list of floats beside them; null for what is no number. An integer beyond 2^53 is rounded, far above any cap
// cost: one pass over the relationships
MATCH (node:{{node_label}})
WITH node, COLLECT {
  MATCH (node)-[edge:{{relationship_type}}]->(neighbor:{{node_label}})
  WHERE ($date IS NULL OR (edge[$date] >= $low AND edge[$date] < $high
      AND (NOT $integers OR edge[$date] IS :: INTEGER NOT NULL)))
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
  RETURN [neighbor.{{id_property}}, CASE
    WHEN $weight IS NULL THEN 1.0
    WHEN edge[$weight] IS :: INTEGER NOT NULL OR edge[$weight] IS :: FLOAT NOT NULL THEN toFloat(edge[$weight])
  END]
} AS found
RETURN node.{{id_property}} AS id, [each IN found | each[0]] AS neighbors, [each IN found | each[1]] AS weights
