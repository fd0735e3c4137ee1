-- Take the write lock of an account until the transaction ends; what is read after it is current.
--
-- complete: when empty
-- parameters:
--   name: the graph's name
-- columns:
--   name: the graph's name, no row if it has no account
-- cost: one row
SELECT name AS name, sound
FROM account
WHERE name = $name
