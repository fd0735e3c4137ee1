-- Clear sessions that are over, and the oldest of one token and of all; run it before session_put.
--
-- parameters:
--   tokenHash: as in session_put
--   since: sessions that were last used before are over, microseconds since 1970, UTC
--   until: and those that say that they are used after
--   ofOne: sessions that one token keeps
--   most: sessions that are kept in all
-- columns: none
-- cost: all sessions
DELETE FROM sessions
WHERE used <= $since OR used > $until
   OR id IN (SELECT id FROM sessions WHERE tokenHash = $tokenHash ORDER BY used DESC LIMIT -1 OFFSET $ofOne)
   OR id IN (SELECT id FROM sessions ORDER BY used DESC LIMIT -1 OFFSET $most)
