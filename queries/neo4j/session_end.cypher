// End a session.
//
// parameters:
//   id: as in session_put
// columns: none
// cost: one row
MATCH (session:EdgeDPSession {id: $id})
DELETE session
