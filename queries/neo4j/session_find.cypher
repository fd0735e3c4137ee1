// A session of the pages.
//
// parameters:
//   id: as in session_put
// columns:
//   tokenHash: as in session_put
//   used: when it was last used, microseconds since 1970, UTC
//   ends: as in session_put
//   held: what the next page shows once, which its cookie alone can read; or null
// cost: one row
MATCH (session:EdgeDPSession {id: $id})
RETURN session.tokenHash AS tokenHash, session.used AS used, session.ends AS ends, session.held AS held
