-- Version 2: people with tokens, their shares of an account, and who asked in the log.
--
-- A row of the log that names an analyst has a hash over that name as well; the hash of every other row is what it
-- was, and so is the head of every older log.

-- Who may ask or curate over the network; a token is kept as its SHA-256 alone, and nobody is ever deleted.
CREATE TABLE people (
  name TEXT PRIMARY KEY NOT NULL, role TEXT NOT NULL, tokenHash TEXT UNIQUE NOT NULL, added TEXT NOT NULL, revoked
  TEXT, seal TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

CREATE VIEW person AS
SELECT name, role, tokenHash, added, revoked, genuine('people', seal, name, role, tokenHash, added, revoked) AS
  sound FROM people;

CREATE TRIGGER people_made AFTER INSERT ON people BEGIN
  UPDATE people SET seal = sealed('people', NEW.name, NEW.role, NEW.tokenHash, NEW.added, NEW.revoked) WHERE name =
    NEW.name;
  UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE key = 'people';
END;

CREATE TRIGGER people_gone AFTER DELETE ON people BEGIN
  UPDATE settings SET value = CAST(value AS INTEGER) - 1 WHERE key = 'people';
END;

CREATE TRIGGER people_change BEFORE UPDATE OF name, role, tokenHash, added, revoked ON people BEGIN
  SELECT RAISE(ABORT, 'damaged') WHERE NOT genuine('people', OLD.seal, OLD.name, OLD.role, OLD.tokenHash, OLD.added,
    OLD.revoked);
END;

CREATE TRIGGER people_changed AFTER UPDATE OF name, role, tokenHash, added, revoked ON people BEGIN
  UPDATE people SET seal = sealed('people', NEW.name, NEW.role, NEW.tokenHash, NEW.added, NEW.revoked) WHERE name =
    NEW.name;
END;

-- How much of a graph's account an analyst may spend, and what of it was spent.
CREATE TABLE shares (
  name TEXT NOT NULL, analyst TEXT NOT NULL, account TEXT NOT NULL, delta INTEGER, declared INTEGER NOT NULL, budget
  INTEGER NOT NULL, spent INTEGER NOT NULL, maxPerRelease INTEGER, seal TEXT NOT NULL DEFAULT '', PRIMARY KEY (name,
  analyst, account)
) STRICT, WITHOUT ROWID;

CREATE VIEW share AS
SELECT name, analyst, account, delta, declared, budget, spent, maxPerRelease, genuine('shares', seal, name, analyst,
  account, delta, declared, budget, spent, maxPerRelease) AS sound FROM shares;

CREATE TRIGGER shares_made AFTER INSERT ON shares BEGIN
  UPDATE shares SET seal = sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared, NEW.budget,
    NEW.spent, NEW.maxPerRelease) WHERE name = NEW.name AND analyst = NEW.analyst AND account = NEW.account;
  UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE key = 'shares';
END;

CREATE TRIGGER shares_gone AFTER DELETE ON shares BEGIN
  UPDATE settings SET value = CAST(value AS INTEGER) - 1 WHERE key = 'shares';
END;

CREATE TRIGGER shares_change BEFORE UPDATE OF name, analyst, account, delta, declared, budget, spent, maxPerRelease
  ON shares BEGIN
  SELECT RAISE(ABORT, 'damaged') WHERE NOT genuine('shares', OLD.seal, OLD.name, OLD.analyst, OLD.account, OLD.delta,
    OLD.declared, OLD.budget, OLD.spent, OLD.maxPerRelease);
END;

CREATE TRIGGER shares_changed AFTER UPDATE OF name, analyst, account, delta, declared, budget, spent, maxPerRelease
  ON shares BEGIN
  UPDATE shares SET seal = sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared, NEW.budget,
    NEW.spent, NEW.maxPerRelease) WHERE name = NEW.name AND analyst = NEW.analyst AND account = NEW.account;
END;

-- Who asked: the analyst's name, empty for a direct caller. Each has identifiers of requests of its own.
DROP TRIGGER log_made;
DROP VIEW entry;
DROP INDEX log_request;

ALTER TABLE log ADD COLUMN analyst TEXT NOT NULL DEFAULT '';

CREATE UNIQUE INDEX log_request ON log (name, analyst, requestId) WHERE requestId IS NOT NULL;
CREATE INDEX log_analyst ON log (analyst, name, charge);

CREATE VIEW entry AS
SELECT name, seq, kind, at, "by", releaseId, requestId, cost, charge, body, total, analyst, prev, hash,
  CASE analyst
  WHEN '' THEN genuine('log', hash, prev, name, seq, kind, at, "by", releaseId, requestId, cost, charge, body, total)
  ELSE genuine('log', hash, prev, name, seq, kind, at, "by", releaseId, requestId, cost, charge, body, total, analyst)
  END AS sound FROM log;

CREATE TRIGGER log_made AFTER INSERT ON log BEGIN
  UPDATE log SET prev = coalesce((SELECT hash FROM entry WHERE name = NEW.name AND seq = NEW.seq - 1), link(NEW.name))
  WHERE name = NEW.name AND seq = NEW.seq;
  UPDATE log SET hash = CASE analyst
    WHEN '' THEN sealed('log', prev, name, seq, kind, at, "by", releaseId, requestId, cost, charge, body, total)
    ELSE sealed('log', prev, name, seq, kind, at, "by", releaseId, requestId, cost, charge, body, total, analyst) END
  WHERE name = NEW.name AND seq = NEW.seq;
END;

INSERT INTO settings (key, value) VALUES ('people', '0'), ('shares', '0');
