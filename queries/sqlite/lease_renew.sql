-- Note that a release is still being drawn, also where its lease was swept; not once there is an answer.
--
-- complete: never (a write)
-- parameters:
--   name: the account's name
--   releaseId: identifier of the release
--   seconds: how long from now, at most 30
-- columns: none
-- cost: one row
INSERT INTO leases (releaseId, name, boot, process, ticks, until)
SELECT $releaseId, $name, boot(), process(), ticks() + $seconds, wall() + $seconds
WHERE EXISTS (SELECT 1 FROM log WHERE releaseId = $releaseId AND kind = 'debit' AND name = $name)
  AND NOT EXISTS (SELECT 1 FROM log WHERE releaseId = $releaseId AND kind = 'answer')
ON CONFLICT (releaseId) DO UPDATE
SET boot = excluded.boot, process = excluded.process, ticks = excluded.ticks, until = excluded.until
