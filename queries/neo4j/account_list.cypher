// All accounts, also of graphs that are gone.
//
// parameters: none
// columns:
//   name: the graph's name
//   delta: atto-delta, or null for a pure account
//   declared: the epsilon of the budget, nano-epsilon, or null where no budget is declared
//   budget, spent: in the account's currency: nano-epsilon where delta is null, else pico-rho
//   maxPerRelease: largest epsilon of one release, nano-epsilon, or null
//   relationshipType: whose relationships it accounts for, or null where edgedp loaded the graph
//   terms: which edges it is for, JSON; empty where they are gone, null where no row of the log says it
//   runs: what was spent within every run of windows, as text (calendars/runs.py); null without a calendar
//   entries: number of rows of its log
// cost: one row an account
MATCH (account:EdgeDPAccount)
RETURN account.name AS name, account.delta AS delta, account.declared AS declared, account.budget AS budget,
       account.spent AS spent, account.maxPerRelease AS maxPerRelease,
       account.relationshipType AS relationshipType, account.entries AS entries,
       account.terms AS terms, account.runs AS runs
ORDER BY name
