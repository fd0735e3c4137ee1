-- Note that a session is in use.
--
-- parameters:
--   id: as in session_put
--   used: microseconds since 1970, UTC
-- columns: none
-- cost: one row
UPDATE sessions
SET used = $used
WHERE id = $id
