-- Version 10: an account with a calendar says what was spent within every run of windows.
--
-- `runs` is one text (calendars/runs.py) beside the account and each share of it. Every row of the log has it as
-- the row left it, with the windows that a debit was for. It is null where an account has no calendar: such rows, their
-- seals and their hashes are what they were.
DROP TRIGGER accounts_made;
DROP TRIGGER accounts_change;
DROP TRIGGER accounts_changed;
DROP VIEW account;

ALTER TABLE accounts ADD COLUMN runs TEXT;

CREATE VIEW account AS
SELECT name, delta, declared, budget, spent, maxPerRelease, relationshipType, entries, terms, runs,
  CASE WHEN runs IS NOT NULL THEN genuine('accounts', seal, name, delta, declared, budget, spent, maxPerRelease,
    relationshipType, entries, terms, runs) WHEN terms IS NULL THEN genuine('accounts', seal, name, delta, declared,
    budget, spent, maxPerRelease, relationshipType, entries) ELSE genuine('accounts', seal, name, delta, declared,
    budget, spent, maxPerRelease, relationshipType, entries, terms) END AS sound
FROM accounts;

CREATE TRIGGER accounts_made AFTER INSERT ON accounts BEGIN
  UPDATE accounts SET seal =
    CASE WHEN NEW.runs IS NOT NULL THEN sealed('accounts', NEW.name, NEW.delta, NEW.declared, NEW.budget, NEW.spent,
      NEW.maxPerRelease, NEW.relationshipType, NEW.entries, NEW.terms, NEW.runs) WHEN NEW.terms IS NULL THEN
      sealed('accounts', NEW.name, NEW.delta, NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease,
      NEW.relationshipType, NEW.entries) ELSE sealed('accounts', NEW.name, NEW.delta, NEW.declared, NEW.budget,
      NEW.spent, NEW.maxPerRelease, NEW.relationshipType, NEW.entries, NEW.terms) END
  WHERE name = NEW.name;
  UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE key = 'accounts';
END;

CREATE TRIGGER accounts_change BEFORE UPDATE OF name, delta, declared, budget, spent, maxPerRelease, relationshipType,
  entries, terms, runs ON accounts BEGIN
  SELECT RAISE(ABORT, 'damaged')
  WHERE NOT
    CASE WHEN OLD.runs IS NOT NULL THEN genuine('accounts', OLD.seal, OLD.name, OLD.delta, OLD.declared, OLD.budget,
      OLD.spent, OLD.maxPerRelease, OLD.relationshipType, OLD.entries, OLD.terms, OLD.runs) WHEN OLD.terms IS NULL
      THEN genuine('accounts', OLD.seal, OLD.name, OLD.delta, OLD.declared, OLD.budget, OLD.spent,
      OLD.maxPerRelease, OLD.relationshipType, OLD.entries) ELSE genuine('accounts', OLD.seal, OLD.name, OLD.delta,
      OLD.declared, OLD.budget, OLD.spent, OLD.maxPerRelease, OLD.relationshipType, OLD.entries, OLD.terms) END;
END;

CREATE TRIGGER accounts_changed AFTER UPDATE OF name, delta, declared, budget, spent, maxPerRelease, relationshipType,
  entries, terms, runs ON accounts BEGIN
  UPDATE accounts SET seal =
    CASE WHEN NEW.runs IS NOT NULL THEN sealed('accounts', NEW.name, NEW.delta, NEW.declared, NEW.budget, NEW.spent,
      NEW.maxPerRelease, NEW.relationshipType, NEW.entries, NEW.terms, NEW.runs) WHEN NEW.terms IS NULL THEN
      sealed('accounts', NEW.name, NEW.delta, NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease,
      NEW.relationshipType, NEW.entries) ELSE sealed('accounts', NEW.name, NEW.delta, NEW.declared, NEW.budget,
      NEW.spent, NEW.maxPerRelease, NEW.relationshipType, NEW.entries, NEW.terms) END
  WHERE name = NEW.name;
END;

DROP TRIGGER shares_made;
DROP TRIGGER shares_change;
DROP TRIGGER shares_changed;
DROP VIEW share;

ALTER TABLE shares ADD COLUMN runs TEXT;

CREATE VIEW share AS
SELECT name, analyst, account, delta, declared, budget, spent, maxPerRelease, minPerRelease, entry, runs,
  CASE WHEN runs IS NOT NULL THEN genuine('shares', seal, name, analyst, account, delta, declared, budget, spent,
    maxPerRelease, entry, minPerRelease, runs) WHEN minPerRelease IS NOT NULL THEN genuine('shares', seal, name,
    analyst, account, delta, declared, budget, spent, maxPerRelease, entry, minPerRelease) WHEN entry IS NULL THEN
    genuine('shares', seal, name, analyst, account, delta, declared, budget, spent, maxPerRelease) ELSE
    genuine('shares', seal, name, analyst, account, delta, declared, budget, spent, maxPerRelease, entry) END AS sound
FROM shares;

CREATE TRIGGER shares_made AFTER INSERT ON shares BEGIN
  UPDATE shares SET seal =
    CASE WHEN NEW.runs IS NOT NULL THEN sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta,
      NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry, NEW.minPerRelease, NEW.runs) WHEN
      NEW.minPerRelease IS NOT NULL THEN sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta,
      NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry, NEW.minPerRelease) WHEN NEW.entry IS NULL
      THEN sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared, NEW.budget, NEW.spent,
      NEW.maxPerRelease) ELSE sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared,
      NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry) END
  WHERE name = NEW.name AND analyst = NEW.analyst AND account = NEW.account;
  UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE key = 'shares';
END;

CREATE TRIGGER shares_change BEFORE UPDATE OF name, analyst, account, delta, declared, budget, spent, maxPerRelease,
  minPerRelease, entry, runs ON shares BEGIN
  SELECT RAISE(ABORT, 'damaged')
  WHERE NOT
    CASE WHEN OLD.runs IS NOT NULL THEN genuine('shares', OLD.seal, OLD.name, OLD.analyst, OLD.account, OLD.delta,
      OLD.declared, OLD.budget, OLD.spent, OLD.maxPerRelease, OLD.entry, OLD.minPerRelease, OLD.runs) WHEN
      OLD.minPerRelease IS NOT NULL THEN genuine('shares', OLD.seal, OLD.name, OLD.analyst, OLD.account, OLD.delta,
      OLD.declared, OLD.budget, OLD.spent, OLD.maxPerRelease, OLD.entry, OLD.minPerRelease) WHEN OLD.entry IS NULL
      THEN genuine('shares', OLD.seal, OLD.name, OLD.analyst, OLD.account, OLD.delta, OLD.declared, OLD.budget,
      OLD.spent, OLD.maxPerRelease) ELSE genuine('shares', OLD.seal, OLD.name, OLD.analyst, OLD.account, OLD.delta,
      OLD.declared, OLD.budget, OLD.spent, OLD.maxPerRelease, OLD.entry) END;
END;

CREATE TRIGGER shares_changed AFTER UPDATE OF name, analyst, account, delta, declared, budget, spent, maxPerRelease,
  minPerRelease, entry, runs ON shares BEGIN
  UPDATE shares SET seal =
    CASE WHEN NEW.runs IS NOT NULL THEN sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta,
      NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry, NEW.minPerRelease, NEW.runs) WHEN
      NEW.minPerRelease IS NOT NULL THEN sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta,
      NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry, NEW.minPerRelease) WHEN NEW.entry IS NULL
      THEN sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared, NEW.budget, NEW.spent,
      NEW.maxPerRelease) ELSE sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared,
      NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry) END
  WHERE name = NEW.name AND analyst = NEW.analyst AND account = NEW.account;
END;

DROP TRIGGER log_made;
DROP VIEW entry;

ALTER TABLE log ADD COLUMN firstWindow INTEGER;
ALTER TABLE log ADD COLUMN lastWindow INTEGER;
ALTER TABLE log ADD COLUMN runs TEXT;
ALTER TABLE log ADD COLUMN shareRuns TEXT;

CREATE VIEW entry AS
SELECT name, seq, kind, at, "by", releaseId, requestId, cost, charge, body, total, analyst, declared, budget,
  maxPerRelease, delta, relationshipType, terms, shareTotal,
  firstWindow, lastWindow, runs, shareRuns, prev, hash,
  CASE WHEN runs IS NOT NULL THEN genuine('log', hash, prev, name, seq, kind, at, "by", releaseId, requestId, cost,
    charge, body, total, analyst, declared, budget, maxPerRelease, delta, relationshipType, terms, shareTotal,
    firstWindow, lastWindow, runs, shareRuns) WHEN terms IS NOT NULL THEN genuine('log', hash, prev, name, seq,
    kind, at, "by", releaseId, requestId, cost, charge, body, total, analyst, declared, budget, maxPerRelease,
    delta, relationshipType, terms, shareTotal) WHEN analyst = '' THEN genuine('log', hash, prev, name, seq, kind,
    at, "by", releaseId, requestId, cost, charge, body, total) ELSE genuine('log', hash, prev, name, seq, kind, at,
    "by", releaseId, requestId, cost, charge, body, total, analyst) END AS sound
FROM log;

CREATE TRIGGER log_made AFTER INSERT ON log BEGIN
  UPDATE log SET prev = coalesce((SELECT hash FROM entry WHERE name = NEW.name AND seq = NEW.seq - 1), link(NEW.name))
  WHERE name = NEW.name AND seq = NEW.seq;
  UPDATE log SET hash =
    CASE WHEN runs IS NOT NULL THEN sealed('log', prev, name, seq, kind, at, "by", releaseId, requestId, cost,
      charge, body, total, analyst, declared, budget, maxPerRelease, delta, relationshipType, terms, shareTotal,
      firstWindow, lastWindow, runs, shareRuns) WHEN terms IS NOT NULL THEN sealed('log', prev, name, seq, kind, at,
      "by", releaseId, requestId, cost, charge, body, total, analyst, declared, budget, maxPerRelease, delta,
      relationshipType, terms, shareTotal) WHEN analyst = '' THEN sealed('log', prev, name, seq, kind, at, "by",
      releaseId, requestId, cost, charge, body, total) ELSE sealed('log', prev, name, seq, kind, at, "by",
      releaseId, requestId, cost, charge, body, total, analyst) END
  WHERE name = NEW.name AND seq = NEW.seq;
END;
