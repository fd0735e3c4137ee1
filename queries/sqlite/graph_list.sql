-- The public facts of all graphs with their accounts.
--
-- complete: always
-- parameters: none
-- columns:
--   name, nodeLabel, relationshipType, nodeCount, degreeBound, loaded, digest, projection, columns, titleProperty, accounts: as in
--     graph_find
--   delta, declared, budget, spent, maxPerRelease, terms, runs: as in account_find; spent is null if it is gone
-- cost: one row a graph
SELECT graph.name AS name, graph.nodeLabel AS nodeLabel, graph.nodeCount AS nodeCount,
       graph.degreeBound AS degreeBound, graph.loaded AS loaded, graph.digest AS digest,
       graph.relationshipType AS relationshipType, graph.projection AS projection, graph.columns AS columns,
       NULL AS titleProperty, NULL AS accounts,
       account.delta AS delta,
       account.declared AS declared, account.budget AS budget, account.spent AS spent,
       account.maxPerRelease AS maxPerRelease, account.terms AS terms, account.runs AS runs,
       graph.sound AND coalesce(account.sound, 1) AS sound
FROM graph LEFT JOIN account ON account.name =
  CASE WHEN graph.nodeLabel = 'EdgeDP of a loaded graph' THEN graph.relationshipType ELSE graph.name END
ORDER BY graph.name
