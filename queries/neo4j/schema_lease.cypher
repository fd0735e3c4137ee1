// One lease a release.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_lease IF NOT EXISTS FOR (lease:EdgeDPLease) REQUIRE lease.releaseId IS UNIQUE
