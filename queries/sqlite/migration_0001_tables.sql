-- The tables of version 1.
--
-- Every row carries its SHA-256 (seal; of the log hash, over the row before it as well). The triggers check it before
-- a row changes and write it after; a view's column sound checks it, every statement reads that column beside its
-- own, and a row that is not sound is refused (edgedp/stores/embedded/sqlite.py). sealed, link and genuine are functions
-- of Python, so that no other program writes here by accident. sound stands in no WHERE of a statement: there SQLite
-- may compute it of rows that the other conditions exclude, with their constants in place of the columns.

-- What is of the whole store: its secret, and how many graphs and accounts there are.
CREATE TABLE settings (
  key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, seal TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

CREATE VIEW setting AS
SELECT key, value, genuine('settings', seal, key, value) AS sound FROM settings;

CREATE TRIGGER settings_made AFTER INSERT ON settings BEGIN
  UPDATE settings SET seal = sealed('settings', NEW.key, NEW.value) WHERE key = NEW.key;
END;

CREATE TRIGGER settings_change BEFORE UPDATE OF key, value ON settings BEGIN
  SELECT RAISE(ABORT, 'damaged') WHERE NOT genuine('settings', OLD.seal, OLD.key, OLD.value);
END;

CREATE TRIGGER settings_changed AFTER UPDATE OF key, value ON settings BEGIN
  UPDATE settings SET seal = sealed('settings', NEW.key, NEW.value) WHERE key = NEW.key;
END;

-- The registry.
CREATE TABLE graphs (
  name TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL, nodeLabel TEXT NOT NULL,
  relationshipType TEXT NOT NULL, idProperty TEXT NOT NULL, nodeCount INTEGER NOT NULL, degreeBound INTEGER,
  nodesSupplied INTEGER NOT NULL, loaded INTEGER NOT NULL, digest TEXT, seal TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

CREATE VIEW graph AS
SELECT name, version, nodeLabel, relationshipType, idProperty, nodeCount, degreeBound, nodesSupplied, loaded, digest,
  genuine('graphs', seal, name, version, nodeLabel, relationshipType, idProperty, nodeCount, degreeBound,
  nodesSupplied, loaded, digest) AS sound FROM graphs;

CREATE TRIGGER graphs_made AFTER INSERT ON graphs BEGIN
  UPDATE graphs SET seal = sealed('graphs', NEW.name, NEW.version, NEW.nodeLabel, NEW.relationshipType,
    NEW.idProperty, NEW.nodeCount, NEW.degreeBound, NEW.nodesSupplied, NEW.loaded, NEW.digest) WHERE name = NEW.name;
  UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE key = 'graphs';
END;

CREATE TRIGGER graphs_gone AFTER DELETE ON graphs BEGIN
  UPDATE settings SET value = CAST(value AS INTEGER) - 1 WHERE key = 'graphs';
END;

CREATE TRIGGER graphs_change BEFORE UPDATE OF name, version, nodeLabel, relationshipType, idProperty, nodeCount,
  degreeBound, nodesSupplied, loaded, digest ON graphs BEGIN
  SELECT RAISE(ABORT, 'damaged') WHERE NOT genuine('graphs', OLD.seal, OLD.name, OLD.version, OLD.nodeLabel,
    OLD.relationshipType, OLD.idProperty, OLD.nodeCount, OLD.degreeBound, OLD.nodesSupplied, OLD.loaded, OLD.digest);
END;

CREATE TRIGGER graphs_changed AFTER UPDATE OF name, version, nodeLabel, relationshipType, idProperty, nodeCount,
  degreeBound, nodesSupplied, loaded, digest ON graphs BEGIN
  UPDATE graphs SET seal = sealed('graphs', NEW.name, NEW.version, NEW.nodeLabel, NEW.relationshipType,
    NEW.idProperty, NEW.nodeCount, NEW.degreeBound, NEW.nodesSupplied, NEW.loaded, NEW.digest) WHERE name = NEW.name;
END;

-- What may be spent and what was.
CREATE TABLE accounts (
  name TEXT PRIMARY KEY NOT NULL, delta INTEGER, declared INTEGER, budget INTEGER, spent INTEGER NOT NULL,
  maxPerRelease INTEGER, relationshipType TEXT, entries INTEGER NOT NULL, seal TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

CREATE VIEW account AS
SELECT name, delta, declared, budget, spent, maxPerRelease, relationshipType, entries, genuine('accounts', seal,
  name, delta, declared, budget, spent, maxPerRelease, relationshipType, entries) AS sound FROM accounts;

CREATE TRIGGER accounts_made AFTER INSERT ON accounts BEGIN
  UPDATE accounts SET seal = sealed('accounts', NEW.name, NEW.delta, NEW.declared, NEW.budget, NEW.spent,
    NEW.maxPerRelease, NEW.relationshipType, NEW.entries) WHERE name = NEW.name;
  UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE key = 'accounts';
END;

CREATE TRIGGER accounts_gone AFTER DELETE ON accounts BEGIN
  UPDATE settings SET value = CAST(value AS INTEGER) - 1 WHERE key = 'accounts';
END;

CREATE TRIGGER accounts_change BEFORE UPDATE OF name, delta, declared, budget, spent, maxPerRelease,
  relationshipType, entries ON accounts BEGIN
  SELECT RAISE(ABORT, 'damaged') WHERE NOT genuine('accounts', OLD.seal, OLD.name, OLD.delta, OLD.declared,
    OLD.budget, OLD.spent, OLD.maxPerRelease, OLD.relationshipType, OLD.entries);
END;

CREATE TRIGGER accounts_changed AFTER UPDATE OF name, delta, declared, budget, spent, maxPerRelease,
  relationshipType, entries ON accounts BEGIN
  UPDATE accounts SET seal = sealed('accounts', NEW.name, NEW.delta, NEW.declared, NEW.budget, NEW.spent,
    NEW.maxPerRelease, NEW.relationshipType, NEW.entries) WHERE name = NEW.name;
END;

-- Which edges were loaded under which names.
CREATE TABLE fingerprints (
  name TEXT NOT NULL, fingerprint TEXT NOT NULL, seal TEXT NOT NULL DEFAULT '', PRIMARY KEY (name, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE VIEW fingerprint AS
SELECT name, fingerprint, genuine('fingerprints', seal, name, fingerprint) AS sound FROM fingerprints;

CREATE TRIGGER fingerprints_made AFTER INSERT ON fingerprints BEGIN
  UPDATE fingerprints SET seal = sealed('fingerprints', NEW.name,
    NEW.fingerprint) WHERE name = NEW.name AND fingerprint = NEW.fingerprint;
END;

CREATE TRIGGER fingerprints_change BEFORE UPDATE OF name, fingerprint ON fingerprints BEGIN
  SELECT RAISE(ABORT, 'damaged') WHERE NOT genuine('fingerprints', OLD.seal, OLD.name, OLD.fingerprint);
END;

CREATE TRIGGER fingerprints_changed AFTER UPDATE OF name, fingerprint ON fingerprints BEGIN
  UPDATE fingerprints SET seal = sealed('fingerprints', NEW.name,
    NEW.fingerprint) WHERE name = NEW.name AND fingerprint = NEW.fingerprint;
END;

-- What happened, one row an event of a graph; append-only.
CREATE TABLE log (
  name TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL, "by" TEXT NOT NULL,
  releaseId TEXT, requestId TEXT, cost INTEGER, charge INTEGER, body TEXT NOT NULL, total INTEGER NOT NULL,
  prev TEXT NOT NULL DEFAULT '', hash TEXT NOT NULL DEFAULT '', PRIMARY KEY (name, seq)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX log_release ON log (releaseId, kind) WHERE releaseId IS NOT NULL;
CREATE UNIQUE INDEX log_request ON log (name, requestId) WHERE requestId IS NOT NULL;

CREATE VIEW entry AS
SELECT name, seq, kind, at, "by", releaseId, requestId, cost, charge, body, total, prev, hash, genuine('log', hash,
  prev, name, seq, kind, at, "by", releaseId, requestId, cost, charge, body, total) AS sound FROM log;

CREATE TRIGGER log_made AFTER INSERT ON log BEGIN
  UPDATE log SET prev = coalesce((SELECT hash FROM entry WHERE name = NEW.name AND seq = NEW.seq - 1), link(NEW.name))
  WHERE name = NEW.name AND seq = NEW.seq;
  UPDATE log SET hash = sealed('log', prev, name, seq, kind, at, "by", releaseId, requestId, cost, charge, body,
    total)
  WHERE name = NEW.name AND seq = NEW.seq;
END;

CREATE TRIGGER log_change BEFORE UPDATE ON log WHEN OLD.hash <> '' BEGIN
  SELECT RAISE(ABORT, 'the log is append-only');
END;

CREATE TRIGGER log_delete BEFORE DELETE ON log BEGIN
  SELECT RAISE(ABORT, 'the log is append-only');
END;

-- Which releases are being drawn; no amount rests on it.
CREATE TABLE leases (
  releaseId TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO settings (key, value) VALUES ('graphs', '0'), ('accounts', '0');
