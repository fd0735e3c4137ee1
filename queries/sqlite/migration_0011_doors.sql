-- Version 11: tokens expire, people have several, and a sign-in of the pages ends at a moment whatever it is used for.
--
-- Which tokens there are is what the people's log says, in rows that are there already. The number keeps programs away
-- that would take a token that expired, or was ended by its name, for a good one.

-- When a session is over, microseconds since 1970, UTC; null where only its last use counts.
ALTER TABLE sessions ADD COLUMN ends INTEGER;
