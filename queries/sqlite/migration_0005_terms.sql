-- Version 5: every row of the log says what the account was then, and what it is for.
--
-- An account's terms say in one text which edges it is for, as the registry had them; null until the first debit or
-- load of this version. From then on its rows have terms, and their hash is over what the account allowed as well; the
-- rows before are what they were, and so is the head of every older log. A share names the row of its last debit.
DROP TRIGGER accounts_made;
DROP TRIGGER accounts_change;
DROP TRIGGER accounts_changed;
DROP VIEW account;

ALTER TABLE accounts ADD COLUMN terms TEXT;

CREATE VIEW account AS
SELECT name, delta, declared, budget, spent, maxPerRelease, relationshipType, entries, terms,
  CASE WHEN terms IS NULL THEN genuine('accounts', seal, name, delta, declared, budget, spent, maxPerRelease,
    relationshipType, entries) ELSE genuine('accounts', seal, name, delta, declared, budget, spent,
    maxPerRelease, relationshipType, entries, terms) END AS sound
FROM accounts;

CREATE TRIGGER accounts_made AFTER INSERT ON accounts BEGIN
  UPDATE accounts SET seal = CASE WHEN NEW.terms IS NULL THEN sealed('accounts', NEW.name, NEW.delta, NEW.declared,
    NEW.budget,
    NEW.spent, NEW.maxPerRelease, NEW.relationshipType, NEW.entries) ELSE sealed('accounts', NEW.name,
    NEW.delta, NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.relationshipType, NEW.entries,
    NEW.terms) END
  WHERE name = NEW.name;
  UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE key = 'accounts';
END;

CREATE TRIGGER accounts_change BEFORE UPDATE OF name, delta, declared, budget, spent, maxPerRelease, relationshipType,
  entries, terms ON accounts BEGIN
  SELECT RAISE(ABORT, 'damaged')
  WHERE NOT CASE WHEN OLD.terms IS NULL THEN genuine('accounts', OLD.seal, OLD.name, OLD.delta, OLD.declared,
    OLD.budget, OLD.spent, OLD.maxPerRelease, OLD.relationshipType, OLD.entries) ELSE genuine('accounts',
    OLD.seal, OLD.name, OLD.delta, OLD.declared, OLD.budget, OLD.spent, OLD.maxPerRelease, OLD.relationshipType,
    OLD.entries, OLD.terms) END;
END;

CREATE TRIGGER accounts_changed AFTER UPDATE OF name, delta, declared, budget, spent, maxPerRelease, relationshipType,
  entries, terms ON accounts BEGIN
  UPDATE accounts SET seal = CASE WHEN NEW.terms IS NULL THEN sealed('accounts', NEW.name, NEW.delta, NEW.declared,
    NEW.budget,
    NEW.spent, NEW.maxPerRelease, NEW.relationshipType, NEW.entries) ELSE sealed('accounts', NEW.name,
    NEW.delta, NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.relationshipType, NEW.entries,
    NEW.terms) END
  WHERE name = NEW.name;
END;

DROP TRIGGER shares_made;
DROP TRIGGER shares_change;
DROP TRIGGER shares_changed;
DROP VIEW share;

ALTER TABLE shares ADD COLUMN entry INTEGER;

CREATE VIEW share AS
SELECT name, analyst, account, delta, declared, budget, spent, maxPerRelease, entry,
  CASE WHEN entry IS NULL THEN genuine('shares', seal, name, analyst, account, delta, declared, budget, spent,
    maxPerRelease) ELSE genuine('shares', seal, name, analyst, account, delta, declared, budget, spent,
    maxPerRelease, entry) END AS sound
FROM shares;

CREATE TRIGGER shares_made AFTER INSERT ON shares BEGIN
  UPDATE shares SET seal = CASE WHEN NEW.entry IS NULL THEN sealed('shares', NEW.name, NEW.analyst, NEW.account,
    NEW.delta,
    NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease) ELSE sealed('shares', NEW.name, NEW.analyst,
    NEW.account, NEW.delta, NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry) END
  WHERE name = NEW.name AND analyst = NEW.analyst AND account = NEW.account;
  UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE key = 'shares';
END;

CREATE TRIGGER shares_change BEFORE UPDATE OF name, analyst, account, delta, declared, budget, spent, maxPerRelease,
  entry ON shares BEGIN
  SELECT RAISE(ABORT, 'damaged')
  WHERE NOT CASE WHEN OLD.entry IS NULL THEN genuine('shares', OLD.seal, OLD.name, OLD.analyst, OLD.account,
    OLD.delta,
    OLD.declared, OLD.budget, OLD.spent, OLD.maxPerRelease) ELSE genuine('shares', OLD.seal, OLD.name,
    OLD.analyst, OLD.account, OLD.delta, OLD.declared, OLD.budget, OLD.spent, OLD.maxPerRelease, OLD.entry) END;
END;

CREATE TRIGGER shares_changed AFTER UPDATE OF name, analyst, account, delta, declared, budget, spent, maxPerRelease,
  entry ON shares BEGIN
  UPDATE shares SET seal = CASE WHEN NEW.entry IS NULL THEN sealed('shares', NEW.name, NEW.analyst, NEW.account,
    NEW.delta,
    NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease) ELSE sealed('shares', NEW.name, NEW.analyst,
    NEW.account, NEW.delta, NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry) END
  WHERE name = NEW.name AND analyst = NEW.analyst AND account = NEW.account;
END;

DROP TRIGGER log_made;
DROP VIEW entry;

ALTER TABLE log ADD COLUMN declared INTEGER;
ALTER TABLE log ADD COLUMN budget INTEGER;
ALTER TABLE log ADD COLUMN maxPerRelease INTEGER;
ALTER TABLE log ADD COLUMN delta INTEGER;
ALTER TABLE log ADD COLUMN relationshipType TEXT;
ALTER TABLE log ADD COLUMN terms TEXT;
ALTER TABLE log ADD COLUMN shareTotal INTEGER;

CREATE VIEW entry AS
SELECT name, seq, kind, at, "by", releaseId, requestId, cost, charge, body, total, analyst, declared, budget,
  maxPerRelease, delta, relationshipType, terms, shareTotal, prev, hash,
  CASE WHEN terms IS NOT NULL THEN genuine('log', hash, prev, name, seq, kind, at, "by", releaseId, requestId, cost,
    charge, body, total, analyst, declared, budget,
    maxPerRelease, delta, relationshipType, terms, shareTotal)
  WHEN analyst = '' THEN genuine('log', hash, prev, name, seq, kind, at, "by", releaseId, requestId, cost, charge,
    body, total)
  ELSE genuine('log', hash, prev, name, seq, kind, at, "by", releaseId, requestId, cost, charge, body, total, analyst)
    END AS sound
FROM log;

CREATE TRIGGER log_made AFTER INSERT ON log BEGIN
  UPDATE log SET prev = coalesce((SELECT hash FROM entry WHERE name = NEW.name AND seq = NEW.seq - 1), link(NEW.name))
  WHERE name = NEW.name AND seq = NEW.seq;
  UPDATE log SET hash = CASE WHEN terms IS NOT NULL THEN sealed('log', prev, name, seq, kind, at, "by", releaseId,
    requestId, cost, charge, body, total, analyst, declared, budget,
      maxPerRelease, delta, relationshipType, terms, shareTotal)
    WHEN analyst = '' THEN sealed('log', prev, name, seq, kind, at, "by", releaseId, requestId, cost, charge, body,
      total)
    ELSE sealed('log', prev, name, seq, kind, at, "by", releaseId, requestId, cost, charge, body, total, analyst) END
  WHERE name = NEW.name AND seq = NEW.seq;
END;
