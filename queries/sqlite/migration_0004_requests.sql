-- Version 4: a request is found by two indexes, and a lease names its boot.
--
-- One flipped bit harms one index: a request is new only where neither has it. What a lease counts is a clock that
-- nobody sets (ticks, since the boot that it names); until, of the clock on the wall, is for other machines and boots.
CREATE INDEX log_request_again ON log (requestId, name, analyst) WHERE requestId IS NOT NULL;

DROP TABLE leases;

CREATE TABLE leases (
  releaseId TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, boot TEXT NOT NULL, process INTEGER NOT NULL,
  ticks INTEGER NOT NULL, until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
