// The releases of one graph without a scan of all.
//
// parameters: none
// columns: none
// cost: none
CREATE INDEX edgedp_release_graph IF NOT EXISTS FOR (release:EdgeDPRelease) ON (release.graph)
