-- Note that a release is still being drawn.
--
-- parameters:
--   releaseId: identifier of the release
--   seconds: how long from now, by the database's clock
-- columns: none
-- cost: one row
UPDATE leases
SET until = CAST(strftime('%s', 'now') AS INTEGER) + $seconds
WHERE releaseId = $releaseId
