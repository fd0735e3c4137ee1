// As ledger_debit, for a ledger that accounts by (epsilon, delta): what is added up is pico-rho.
//
// parameters:
//   name: the graph's name
//   version: the version of the graph that was planned for
//   cost: the release's epsilon, nano-epsilon
//   charge: what it adds to the ledger, pico-rho, positive
//   releaseId: identifier of the release
//   requestId: the asker's identifier of the request, or null
//   at: time, ISO 8601, UTC
//   selector: priv_top_k or motkin
//   parameters: canonical parameters, JSON
//   public: the public facts that the release rests on, JSON
// columns:
//   budgetRho, spentRho: pico-rho after the debit; no row if the release does not fit
// cost: two rows, one record
MATCH (graph:EdgeDPGraph {name: $name}), (ledger:EdgeDPLedger {name: $name})
WHERE graph.version = $version AND $charge > 0 AND ledger.budgetRho IS NOT NULL
  AND ledger.spentRho + $charge <= ledger.budgetRho
  AND (ledger.maxPerRelease IS NULL OR $cost <= ledger.maxPerRelease)
SET ledger.spentRho = ledger.spentRho + $charge
CREATE (:EdgeDPRelease {releaseId: $releaseId, graph: $name, at: $at, requestId: $requestId, cost: $cost,
                        selector: $selector, parameters: $parameters, public: $public})
RETURN ledger.budgetRho AS budgetRho, ledger.spentRho AS spentRho
