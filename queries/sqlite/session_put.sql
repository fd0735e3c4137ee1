-- Open a session of the pages.
--
-- complete: never (a write)
-- parameters:
--   id: SHA-256 of the cookie, hex; the cookie itself is kept nowhere
--   tokenHash: of the token that signed in, as in person_put; of a sign-in by a provider a text that is no hash
--   used: microseconds since 1970, UTC
--   ends: when it is over, whatever it is used for, microseconds since 1970, UTC; or null
-- columns: none
-- cost: one row
INSERT INTO sessions (id, tokenHash, used, ends)
VALUES ($id, $tokenHash, $used, $ends)
