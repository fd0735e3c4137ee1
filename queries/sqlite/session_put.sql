-- Open a session of the pages.
--
-- parameters:
--   id: SHA-256 of the cookie, hex; the cookie itself is kept nowhere
--   tokenHash: of the token that signed in, as in person_put
--   used: microseconds since 1970, UTC
-- columns: none
-- cost: one row
INSERT INTO sessions (id, tokenHash, used)
VALUES ($id, $tokenHash, $used)
