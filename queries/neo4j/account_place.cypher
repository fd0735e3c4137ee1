// Say which edges an account is for.
//
// parameters:
//   name: the graph's name
//   relationshipType: type of a registered graph; null for any other, which leaves the type that is there
//   terms: which edges, JSON; empty where they are gone
//   runs: what was spent within every run, where nothing was; null without a calendar. It stays where something was
// columns: none
// cost: one row
MATCH (account:EdgeDPAccount {name: $name})
SET account.relationshipType = coalesce($relationshipType, account.relationshipType), account.terms = $terms,
    account.runs = CASE WHEN account.spent = 0 THEN $runs ELSE account.runs END
