-- End a session.
--
-- parameters:
--   id: as in session_put
-- columns: none
-- cost: one row
DELETE FROM sessions
WHERE id = $id
