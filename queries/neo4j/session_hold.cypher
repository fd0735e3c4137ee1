// Keep something for the next page of a session, or take it out: two at once do not both get it.
//
// parameters:
//   id: as in session_put
//   before: what is kept there now, as in session_find
//   held: what is kept from now on, or null
// columns:
//   id: no row if something else is kept there, or the session ended
// cost: one row
MATCH (session:EdgeDPSession {id: $id})
SET session.locked = true
WITH session
WHERE session.held = $before OR (session.held IS NULL AND $before IS NULL)
SET session.held = $held
RETURN session.id AS id
