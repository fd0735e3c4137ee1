// One record a release.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_release IF NOT EXISTS FOR (release:EdgeDPRelease) REQUIRE release.releaseId IS UNIQUE
