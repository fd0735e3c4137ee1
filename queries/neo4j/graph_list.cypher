// The public facts of all graphs with their accounts.
//
// parameters: none
// columns:
//   name, nodeLabel, nodeCount, degreeBound, loaded, digest, projection, titleProperty: as in graph_find
//   delta, declared, budget, spent, maxPerRelease, terms, runs: as in account_find; spent is null if it is gone
// cost: one row a graph
MATCH (graph:EdgeDPStoredGraph)
OPTIONAL MATCH (account:EdgeDPAccount {name: graph.name})
RETURN graph.name AS name, graph.nodeLabel AS nodeLabel, graph.nodeCount AS nodeCount,
       graph.degreeBound AS degreeBound, graph.loaded AS loaded, graph.digest AS digest,
       graph.projection AS projection, graph.titleProperty AS titleProperty, account.delta AS delta,
       account.declared AS declared, account.budget AS budget, account.spent AS spent,
       account.maxPerRelease AS maxPerRelease, account.terms AS terms, account.runs AS runs
ORDER BY name
