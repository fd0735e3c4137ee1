-- Note that a release is being drawn; run it after log_debit.
--
-- parameters:
--   name: the graph's name
--   releaseId: identifier of the release
--   seconds: how long, by the database's clock
-- columns: none
-- cost: one row
INSERT INTO leases (releaseId, name, until)
VALUES ($releaseId, $name, CAST(strftime('%s', 'now') AS INTEGER) + $seconds)
