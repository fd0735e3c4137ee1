-- Note that a release is being drawn; run it after log_debit.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   releaseId: identifier of the release
--   seconds: how long, at most 30
-- columns: none
-- cost: one row
INSERT INTO leases (releaseId, name, boot, process, ticks, until)
VALUES ($releaseId, $name, boot(), process(), ticks() + $seconds, wall() + $seconds)
