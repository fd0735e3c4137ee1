-- A session of the pages.
--
-- complete: never (no row is no session)
-- parameters:
--   id: as in session_put
-- columns:
--   tokenHash: as in session_put
--   used: when it was last used, microseconds since 1970, UTC
--   ends: as in session_put
--   held: what the next page shows once, which its cookie alone can read; or null
-- cost: one row
SELECT tokenHash AS tokenHash, used AS used, ends AS ends, held AS held
FROM sessions
WHERE id = $id
