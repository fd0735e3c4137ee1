-- The releases that are being drawn, or whose answer may not leave yet.
--
-- parameters: none
-- columns:
--   releaseId: identifier of the release
-- cost: all leases
SELECT releaseId AS releaseId
FROM leases
WHERE leased(boot, ticks, until)
