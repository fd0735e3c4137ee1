// The graph of the relationships that hold some conditions, one row a node: which nodes they point to.
//
// parameters:
//   where: list of maps with property, comparison (eq, in, gte, gt, lte or lt) and value; all must hold. What a
//     relationship lacks, or has of another type, does not hold
//   moments: the same of values that are moments, zoned datetimes in UTC: a property holds a date, which is its midnight
//     in UTC, or a time, which is UTC where it has no zone; what is finer than a microsecond is cut off
// columns:
//   id: the node's id
//   neighbors: list of ids, in no order; one for each relationship, which stands in the row of its start
// cost: one pass over the relationships
MATCH (node:{{node_label}})
RETURN node.{{id_property}} AS id,
       COLLECT {
         MATCH (node)-[edge:{{relationship_type}}]->(neighbor:{{node_label}})
         WHERE all(asked IN $where WHERE CASE asked.comparison
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
         RETURN neighbor.{{id_property}}
       } AS neighbors
