// The budget changes of edgedp 0.1.0, oldest first.
//
// parameters: none
// columns:
//   changeId, graph, at: as it wrote them
//   budget: nano-epsilon
//   delta: atto-delta, or null
// cost: one row a change
MATCH (change:EdgeDPBudgetChange)
RETURN change.changeId AS changeId, change.graph AS graph, change.at AS at, change.budget AS budget,
       change.delta AS delta
ORDER BY at, changeId
