// Which of the constraints that edgedp's ledgers need are there.
//
// parameters:
//   names: their names
// columns:
//   name: the name of one that is there
// cost: none
SHOW CONSTRAINTS YIELD name
WHERE name IN $names
RETURN name
