-- Version 7: who is signed in at the pages of a gateway, for several gateways on one store.
--
-- A row names a session by the SHA-256 of its cookie, and its token by that token's. No amount rests on it, and what is
-- held for the next page is read by the cookie alone.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY NOT NULL, tokenHash TEXT NOT NULL, used INTEGER NOT NULL, held TEXT
) STRICT, WITHOUT ROWID;
