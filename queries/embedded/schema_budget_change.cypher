// The table of declared budgets.
//
// parameters: none
// columns: none
// cost: none
CREATE NODE TABLE IF NOT EXISTS EdgeDPBudgetChange(changeId STRING PRIMARY KEY, graph STRING, at STRING, budget INT64,
  delta INT64)
