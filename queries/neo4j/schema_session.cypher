// One session a cookie.
//
// parameters: none
// columns: none
// cost: none
CREATE CONSTRAINT edgedp_session IF NOT EXISTS FOR (session:EdgeDPSession) REQUIRE session.id IS UNIQUE
