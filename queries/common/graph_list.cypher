// The public facts of all graphs with their ledgers.
//
// parameters: none
// columns:
//   name, nodeCount, degreeBound: as in graph_find
//   budget: declared budget in nano-epsilon, or null
//   spent: nano-epsilon
//   delta, declared, spentRho, budgetRho: as in ledger_find
// cost: one row a graph
MATCH (graph:EdgeDPGraph), (ledger:EdgeDPLedger)
WHERE ledger.name = graph.name
RETURN graph.name AS name, graph.nodeCount AS nodeCount, graph.degreeBound AS degreeBound,
       ledger.budget AS budget, ledger.spent AS spent, ledger.delta AS delta,
       ledger.declared AS declared, ledger.spentRho AS spentRho, ledger.budgetRho AS budgetRho
ORDER BY name
