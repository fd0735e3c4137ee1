-- Version 8: a further debit of a release, whose number begins with part-, is not counted as a release.
--
-- What was counted before stays counted.
DROP TRIGGER log_counted;

CREATE TRIGGER log_counted AFTER INSERT ON log BEGIN
  SELECT RAISE(ABORT, 'damaged')
  WHERE EXISTS (SELECT 1 FROM tallies
                WHERE name = NEW.name AND NOT genuine('tallies', seal, name, entries, releases));
  INSERT INTO tallies (name, entries, releases, seal)
  SELECT NEW.name, NEW.seq, counted, sealed('tallies', NEW.name, NEW.seq, counted)
  FROM (SELECT coalesce((SELECT releases FROM tallies WHERE name = NEW.name), 0)
               + (NEW.kind = 'debit' AND NEW.releaseId NOT LIKE 'part-%') AS counted)
  WHERE true
  ON CONFLICT (name) DO UPDATE SET entries = excluded.entries, releases = excluded.releases, seal = excluded.seal;
END;
