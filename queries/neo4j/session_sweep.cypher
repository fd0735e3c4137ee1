// Clear sessions that are over, and the oldest of one token and of all; run it before session_put.
//
// parameters:
//   tokenHash: as in session_put
//   since: sessions that were last used before are over, microseconds since 1970, UTC
//   until: and those that say that they are used after
//   ofOne: sessions that one token keeps
//   most: sessions that are kept in all
// columns: none
// cost: all sessions
MATCH (session:EdgeDPSession)
WITH session ORDER BY session.used DESC
WITH collect(session) AS every
WITH every, every[$most..] + [session IN every WHERE session.tokenHash = $tokenHash][$ofOne..]
     + [session IN every WHERE session.used <= $since OR session.used > $until] AS over
UNWIND over AS session
WITH DISTINCT session
DELETE session
