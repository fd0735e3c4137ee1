-- Version 10: a share may be an agent's.
--
-- Such a share has a smallest epsilon of one release beside the largest; null is a person's. Its seal covers that number
-- where there is one; the seal of every other share is what it was.
DROP TRIGGER shares_made;
DROP TRIGGER shares_change;
DROP TRIGGER shares_changed;
DROP VIEW share;

ALTER TABLE shares ADD COLUMN minPerRelease INTEGER;

CREATE VIEW share AS
SELECT name, analyst, account, delta, declared, budget, spent, maxPerRelease, minPerRelease, entry,
  CASE WHEN minPerRelease IS NOT NULL THEN genuine('shares', seal, name, analyst, account, delta, declared, budget,
    spent, maxPerRelease, entry, minPerRelease) WHEN entry IS NULL THEN genuine('shares', seal, name, analyst,
    account, delta, declared, budget, spent, maxPerRelease) ELSE genuine('shares', seal, name, analyst, account,
    delta, declared, budget, spent, maxPerRelease, entry) END AS sound
FROM shares;

CREATE TRIGGER shares_made AFTER INSERT ON shares BEGIN
  UPDATE shares SET seal = CASE WHEN NEW.minPerRelease IS NOT NULL THEN sealed('shares', NEW.name, NEW.analyst,
    NEW.account, NEW.delta, NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry, NEW.minPerRelease) WHEN
    NEW.entry IS NULL THEN sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared, NEW.budget,
    NEW.spent, NEW.maxPerRelease) ELSE sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared,
    NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry) END
  WHERE name = NEW.name AND analyst = NEW.analyst AND account = NEW.account;
  UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE key = 'shares';
END;

CREATE TRIGGER shares_change BEFORE UPDATE OF name, analyst, account, delta, declared, budget, spent, maxPerRelease,
  minPerRelease, entry ON shares BEGIN
  SELECT RAISE(ABORT, 'damaged')
  WHERE NOT CASE WHEN OLD.minPerRelease IS NOT NULL THEN genuine('shares', OLD.seal, OLD.name, OLD.analyst,
    OLD.account, OLD.delta, OLD.declared, OLD.budget, OLD.spent, OLD.maxPerRelease, OLD.entry, OLD.minPerRelease) WHEN
    OLD.entry IS NULL THEN genuine('shares', OLD.seal, OLD.name, OLD.analyst, OLD.account, OLD.delta, OLD.declared,
    OLD.budget, OLD.spent, OLD.maxPerRelease) ELSE genuine('shares', OLD.seal, OLD.name, OLD.analyst, OLD.account,
    OLD.delta, OLD.declared, OLD.budget, OLD.spent, OLD.maxPerRelease, OLD.entry) END;
END;

CREATE TRIGGER shares_changed AFTER UPDATE OF name, analyst, account, delta, declared, budget, spent, maxPerRelease,
  minPerRelease, entry ON shares BEGIN
  UPDATE shares SET seal = CASE WHEN NEW.minPerRelease IS NOT NULL THEN sealed('shares', NEW.name, NEW.analyst,
    NEW.account, NEW.delta, NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry, NEW.minPerRelease) WHEN
    NEW.entry IS NULL THEN sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared, NEW.budget,
    NEW.spent, NEW.maxPerRelease) ELSE sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared,
    NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry) END
  WHERE name = NEW.name AND analyst = NEW.analyst AND account = NEW.account;
END;
