// Note that a session is in use.
//
// parameters:
//   id: as in session_put
//   used: microseconds since 1970, UTC
// columns: none
// cost: one row
MATCH (session:EdgeDPSession {id: $id})
SET session.used = $used
