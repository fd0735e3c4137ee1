-- Note that a release is no longer being drawn, and clear what dead drawers of this graph left.
--
-- complete: never (a write)
-- parameters:
--   name: the graph's name
--   releaseId: identifier of the release
-- columns: none
-- cost: the leases of one graph
DELETE FROM leases
WHERE releaseId = $releaseId OR (name = $name AND NOT leased(boot, ticks, until))
