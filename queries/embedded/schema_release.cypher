// The table of releases.
//
// parameters: none
// columns: none
// cost: none
CREATE NODE TABLE IF NOT EXISTS EdgeDPRelease(
  releaseId STRING PRIMARY KEY, graph STRING, at STRING, requestId STRING, cost INT64, selector STRING,
  parameters STRING, public STRING, nodes STRING)
