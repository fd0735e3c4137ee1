// The public facts of all graphs with their accounts.
//
// parameters: none
// columns:
//   name, nodeLabel, relationshipType, nodeCount, degreeBound, loaded, digest, projection, columns, titleProperty, accounts: as in
//     graph_find
//   delta, declared, budget, spent, maxPerRelease, terms, runs: as in account_find, of several accounts those of
//     the one of which the least is left; spent is null where an account is gone
// cost: one row an account of a graph
MATCH (graph:EdgeDPStoredGraph)
CALL (graph) {
  UNWIND coalesce(graph.accounts, [graph.name]) AS named
  OPTIONAL MATCH (account:EdgeDPAccount {name: named})
  RETURN account AS account
  ORDER BY CASE
    WHEN account IS NULL THEN -2.0
    WHEN NOT (account.budget IS :: INTEGER NOT NULL AND account.declared IS :: INTEGER NOT NULL
      AND account.spent IS :: INTEGER NOT NULL AND account.budget > 0) THEN -1.0
    ELSE toFloat(account.declared) * (account.budget - coalesce(
      toInteger(split(substring(account.runs, 1), ',')[0]), account.spent)) / account.budget
  END, named
  LIMIT 1
}
RETURN graph.name AS name, graph.nodeLabel AS nodeLabel, graph.relationshipType AS relationshipType, graph.nodeCount AS nodeCount,
       graph.degreeBound AS degreeBound, graph.loaded AS loaded, graph.digest AS digest,
       graph.projection AS projection, graph.columns AS columns, graph.titleProperty AS titleProperty, CASE WHEN graph.accounts IS NULL THEN null
         WHEN graph.accounts IS :: LIST<STRING NOT NULL> NOT NULL THEN [each IN graph.accounts | each] ELSE [] END AS accounts,
       account.delta AS delta,
       account.declared AS declared, account.budget AS budget, account.spent AS spent,
       account.maxPerRelease AS maxPerRelease, account.terms AS terms, account.runs AS runs
ORDER BY name
