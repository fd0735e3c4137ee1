-- Version 6: lists are read by pages, and the releases of a log are counted as they are written.
--
-- A page reads the rows that it shows and no more. The debits of a log prove by their running total that none between
-- them is missing, so one index finds them; those of one analyst, and the rows of a release, are found by two indexes
-- each, for one flipped bit harms one. A tally is sealed as every row is, and believed only where it counts as many
-- rows as the account.
CREATE INDEX log_debits ON log (name, seq) WHERE kind = 'debit';
CREATE INDEX log_own ON log (analyst, name, seq) WHERE analyst <> '';
CREATE INDEX log_own_again ON log (name, analyst, seq) WHERE analyst <> '';
CREATE INDEX log_release_again ON log (kind, releaseId) WHERE releaseId IS NOT NULL;

CREATE TABLE tallies (
  name TEXT PRIMARY KEY NOT NULL, entries INTEGER NOT NULL, releases INTEGER NOT NULL, seal TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO tallies (name, entries, releases, seal)
SELECT name, entries, releases, sealed('tallies', name, entries, releases)
FROM (SELECT name, count(*) AS entries, sum(kind = 'debit') AS releases FROM log GROUP BY name);

CREATE VIEW tally AS
SELECT name, entries, releases, genuine('tallies', seal, name, entries, releases) AS sound FROM tallies;

CREATE TRIGGER log_counted AFTER INSERT ON log BEGIN
  SELECT RAISE(ABORT, 'damaged')
  WHERE EXISTS (SELECT 1 FROM tallies
                WHERE name = NEW.name AND NOT genuine('tallies', seal, name, entries, releases));
  INSERT INTO tallies (name, entries, releases, seal)
  SELECT NEW.name, NEW.seq, counted, sealed('tallies', NEW.name, NEW.seq, counted)
  FROM (SELECT coalesce((SELECT releases FROM tallies WHERE name = NEW.name), 0) + (NEW.kind = 'debit') AS counted)
  WHERE true
  ON CONFLICT (name) DO UPDATE SET entries = excluded.entries, releases = excluded.releases, seal = excluded.seal;
END;
