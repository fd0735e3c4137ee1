// A row of a graph's log, by its number, and the last one; each once, in order.
//
// parameters:
//   name: the graph's name
//   seq: the row's number, or null for the last one alone
// columns:
//   name: the graph's name
//   seq: 1, 2, 3 ... of this graph
//   kind: load, replace, drop, register, forget, budget, limit, grant, attribute, account, debit, answer or exact
//   at: time, ISO 8601, UTC
//   by: who caused it
//   releaseId: of a debit and its answer, else null
//   analyst: whose share a debit was of; empty for a direct caller and for other rows
//   requestId: the asker's identifier of the request, of a debit, or null
//   cost: nano-epsilon, of a debit, else null
//   charge: what a debit added to spent, in the account's currency, else null
//   body: JSON, public facts only; of a debit kind, parameters and public, of an answer what was released
//   total: spent after it, in the account's currency
//   declared, budget, maxPerRelease, delta, relationshipType, terms: the account after it, as in account_find; terms is
//     null in a row of an older version, and the others mean nothing then
//   shareTotal: of an analyst's debit what their share had spent after it, else null
//   firstWindow, lastWindow: of a debit from an account with a calendar what it read; null and null for everything
//   runs, shareRuns: what was spent within every run of windows after it, of the account and of the share; else null
//   prev, hash: SHA-256 of the row before and of this one, hex; null in Neo4j
// cost: the account and two rows
OPTIONAL MATCH (account:EdgeDPAccount {name: $name})
UNWIND [$seq, account.entries] AS place
WITH DISTINCT place
MATCH (entry:EdgeDPEntry {name: $name, seq: place})
RETURN entry.name AS name, entry.seq AS seq, entry.kind AS kind, entry.at AS at, entry.by AS by,
       entry.releaseId AS releaseId, entry.requestId AS requestId, entry.cost AS cost, entry.charge AS charge,
       entry.body AS body, entry.total AS total, coalesce(entry.analyst, '') AS analyst,
       entry.declared AS declared, entry.budget AS budget, entry.maxPerRelease AS maxPerRelease,
       entry.delta AS delta, entry.relationshipType AS relationshipType, entry.terms AS terms,
       entry.shareTotal AS shareTotal, entry.firstWindow AS firstWindow, entry.lastWindow AS lastWindow,
       entry.runs AS runs, entry.shareRuns AS shareRuns,
       null AS prev, null AS hash
ORDER BY seq
