// Check and debit one release, and open its record; run it after ledger_lock in the same transaction.
//
// parameters:
//   name: the graph's name
//   version: the version of the graph that was planned for
//   cost: nano-epsilon, positive
//   releaseId: identifier of the release
//   requestId: the asker's identifier of the request, or null
//   at: time, ISO 8601, UTC
//   selector: priv_top_k or motkin
//   parameters: canonical parameters, JSON
//   public: the public facts that the release rests on, JSON
// columns:
//   budget, spent: nano-epsilon after the debit; no row if the release does not fit
// cost: two rows, one record
MATCH (graph:EdgeDPGraph {name: $name}), (ledger:EdgeDPLedger {name: $name})
WHERE graph.version = $version AND $cost > 0 AND ledger.budget IS NOT NULL
  AND ledger.spent + $cost <= ledger.budget
  AND (ledger.maxPerRelease IS NULL OR $cost <= ledger.maxPerRelease)
SET ledger.spent = ledger.spent + $cost
CREATE (:EdgeDPRelease {releaseId: $releaseId, graph: $name, at: $at, requestId: $requestId, cost: $cost,
                        selector: $selector, parameters: $parameters, public: $public})
RETURN ledger.budget AS budget, ledger.spent AS spent
