-- Version 12: a graph may be made of another one's rows, a version says which columns are kept, a share allows filters.
--
-- `projection` says which rows make an edge, `columns` the types of the columns that are kept of them, and `filters` is 1
-- where an analyst may write conditions. Each is null of everything before: such rows and their seals are what they were.
DROP TRIGGER graphs_made;
DROP TRIGGER graphs_change;
DROP TRIGGER graphs_changed;
DROP VIEW graph;

ALTER TABLE graphs ADD COLUMN projection TEXT;
ALTER TABLE graphs ADD COLUMN columns TEXT;

CREATE VIEW graph AS
SELECT name, version, nodeLabel, relationshipType, idProperty, nodeCount, degreeBound, nodesSupplied, loaded, digest,
projection, columns,
  CASE WHEN projection IS NULL AND columns IS NULL THEN genuine('graphs', seal, name, version, nodeLabel,
  relationshipType, idProperty, nodeCount, degreeBound, nodesSupplied, loaded, digest) ELSE genuine('graphs', seal,
  name, version, nodeLabel, relationshipType, idProperty, nodeCount, degreeBound, nodesSupplied, loaded, digest,
  projection, columns) END AS sound
FROM graphs;

CREATE TRIGGER graphs_made AFTER INSERT ON graphs BEGIN
  UPDATE graphs SET seal =
    CASE WHEN NEW.projection IS NULL AND NEW.columns IS NULL THEN sealed('graphs', NEW.name, NEW.version,
    NEW.nodeLabel, NEW.relationshipType, NEW.idProperty, NEW.nodeCount, NEW.degreeBound, NEW.nodesSupplied,
    NEW.loaded, NEW.digest) ELSE sealed('graphs', NEW.name, NEW.version, NEW.nodeLabel, NEW.relationshipType,
    NEW.idProperty, NEW.nodeCount, NEW.degreeBound, NEW.nodesSupplied, NEW.loaded, NEW.digest, NEW.projection,
    NEW.columns) END
  WHERE name = NEW.name;
  UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE key = 'graphs';
END;

CREATE TRIGGER graphs_change BEFORE UPDATE OF
  name, version, nodeLabel, relationshipType, idProperty, nodeCount, degreeBound, nodesSupplied, loaded, digest,
  projection, columns ON graphs BEGIN
  SELECT RAISE(ABORT, 'damaged')
  WHERE NOT
    CASE WHEN OLD.projection IS NULL AND OLD.columns IS NULL THEN genuine('graphs', OLD.seal, OLD.name,
    OLD.version, OLD.nodeLabel, OLD.relationshipType, OLD.idProperty, OLD.nodeCount, OLD.degreeBound,
    OLD.nodesSupplied, OLD.loaded, OLD.digest) ELSE genuine('graphs', OLD.seal, OLD.name, OLD.version,
    OLD.nodeLabel, OLD.relationshipType, OLD.idProperty, OLD.nodeCount, OLD.degreeBound, OLD.nodesSupplied,
    OLD.loaded, OLD.digest, OLD.projection, OLD.columns) END;
END;

CREATE TRIGGER graphs_changed AFTER UPDATE OF
  name, version, nodeLabel, relationshipType, idProperty, nodeCount, degreeBound, nodesSupplied, loaded, digest,
  projection, columns ON graphs BEGIN
  UPDATE graphs SET seal =
    CASE WHEN NEW.projection IS NULL AND NEW.columns IS NULL THEN sealed('graphs', NEW.name, NEW.version,
    NEW.nodeLabel, NEW.relationshipType, NEW.idProperty, NEW.nodeCount, NEW.degreeBound, NEW.nodesSupplied,
    NEW.loaded, NEW.digest) ELSE sealed('graphs', NEW.name, NEW.version, NEW.nodeLabel, NEW.relationshipType,
    NEW.idProperty, NEW.nodeCount, NEW.degreeBound, NEW.nodesSupplied, NEW.loaded, NEW.digest, NEW.projection,
    NEW.columns) END
  WHERE name = NEW.name;
END;

DROP TRIGGER shares_made;
DROP TRIGGER shares_change;
DROP TRIGGER shares_changed;
DROP VIEW share;

ALTER TABLE shares ADD COLUMN filters INTEGER;

CREATE VIEW share AS
SELECT name, analyst, account, delta, declared, budget, spent, maxPerRelease, minPerRelease, entry, runs, filters,
  CASE WHEN filters IS NOT NULL THEN genuine('shares', seal, name, analyst, account, delta, declared, budget,
  spent, maxPerRelease, entry, minPerRelease, runs, filters) WHEN runs IS NOT NULL THEN genuine('shares', seal,
  name, analyst, account, delta, declared, budget, spent, maxPerRelease, entry, minPerRelease, runs) WHEN
  minPerRelease IS NOT NULL THEN genuine('shares', seal, name, analyst, account, delta, declared, budget, spent,
  maxPerRelease, entry, minPerRelease) WHEN entry IS NULL THEN genuine('shares', seal, name, analyst, account,
  delta, declared, budget, spent, maxPerRelease) ELSE genuine('shares', seal, name, analyst, account, delta,
  declared, budget, spent, maxPerRelease, entry) END AS sound
FROM shares;

CREATE TRIGGER shares_made AFTER INSERT ON shares BEGIN
  UPDATE shares SET seal =
    CASE WHEN NEW.filters IS NOT NULL THEN sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta,
    NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry, NEW.minPerRelease, NEW.runs, NEW.filters)
    WHEN NEW.runs IS NOT NULL THEN sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared,
    NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry, NEW.minPerRelease, NEW.runs) WHEN NEW.minPerRelease IS NOT
    NULL THEN sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared, NEW.budget, NEW.spent,
    NEW.maxPerRelease, NEW.entry, NEW.minPerRelease) WHEN NEW.entry IS NULL THEN sealed('shares', NEW.name,
    NEW.analyst, NEW.account, NEW.delta, NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease) ELSE
    sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared, NEW.budget, NEW.spent,
    NEW.maxPerRelease, NEW.entry) END
  WHERE name = NEW.name AND analyst = NEW.analyst AND account = NEW.account;
  UPDATE settings SET value = CAST(value AS INTEGER) + 1 WHERE key = 'shares';
END;

CREATE TRIGGER shares_change BEFORE UPDATE OF
  name, analyst, account, delta, declared, budget, spent, maxPerRelease, minPerRelease, entry, runs, filters ON
  shares BEGIN
  SELECT RAISE(ABORT, 'damaged')
  WHERE NOT
    CASE WHEN OLD.filters IS NOT NULL THEN genuine('shares', OLD.seal, OLD.name, OLD.analyst, OLD.account,
    OLD.delta, OLD.declared, OLD.budget, OLD.spent, OLD.maxPerRelease, OLD.entry, OLD.minPerRelease, OLD.runs,
    OLD.filters) WHEN OLD.runs IS NOT NULL THEN genuine('shares', OLD.seal, OLD.name, OLD.analyst, OLD.account,
    OLD.delta, OLD.declared, OLD.budget, OLD.spent, OLD.maxPerRelease, OLD.entry, OLD.minPerRelease, OLD.runs) WHEN
    OLD.minPerRelease IS NOT NULL THEN genuine('shares', OLD.seal, OLD.name, OLD.analyst, OLD.account, OLD.delta,
    OLD.declared, OLD.budget, OLD.spent, OLD.maxPerRelease, OLD.entry, OLD.minPerRelease) WHEN OLD.entry IS NULL
    THEN genuine('shares', OLD.seal, OLD.name, OLD.analyst, OLD.account, OLD.delta, OLD.declared, OLD.budget,
    OLD.spent, OLD.maxPerRelease) ELSE genuine('shares', OLD.seal, OLD.name, OLD.analyst, OLD.account, OLD.delta,
    OLD.declared, OLD.budget, OLD.spent, OLD.maxPerRelease, OLD.entry) END;
END;

CREATE TRIGGER shares_changed AFTER UPDATE OF
  name, analyst, account, delta, declared, budget, spent, maxPerRelease, minPerRelease, entry, runs, filters ON
  shares BEGIN
  UPDATE shares SET seal =
    CASE WHEN NEW.filters IS NOT NULL THEN sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta,
    NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry, NEW.minPerRelease, NEW.runs, NEW.filters)
    WHEN NEW.runs IS NOT NULL THEN sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared,
    NEW.budget, NEW.spent, NEW.maxPerRelease, NEW.entry, NEW.minPerRelease, NEW.runs) WHEN NEW.minPerRelease IS NOT
    NULL THEN sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared, NEW.budget, NEW.spent,
    NEW.maxPerRelease, NEW.entry, NEW.minPerRelease) WHEN NEW.entry IS NULL THEN sealed('shares', NEW.name,
    NEW.analyst, NEW.account, NEW.delta, NEW.declared, NEW.budget, NEW.spent, NEW.maxPerRelease) ELSE
    sealed('shares', NEW.name, NEW.analyst, NEW.account, NEW.delta, NEW.declared, NEW.budget, NEW.spent,
    NEW.maxPerRelease, NEW.entry) END
  WHERE name = NEW.name AND analyst = NEW.analyst AND account = NEW.account;
END;
