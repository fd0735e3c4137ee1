-- Keep something for the next page of a session, or take it out: two at once do not both get it.
--
-- parameters:
--   id: as in session_put
--   before: what is kept there now, as in session_find
--   held: what is kept from now on, or null
-- columns:
--   id: no row if something else is kept there, or the session ended
-- cost: one row
UPDATE sessions
SET held = $held
WHERE id = $id AND held IS $before
RETURNING id AS id
