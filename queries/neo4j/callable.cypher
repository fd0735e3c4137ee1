// Whether the user may call a procedure: which of a database's users may declare a budget is its matter.
//
// parameters:
//   procedure: its name
// columns:
//   name: no row if there is none, or the user may not call it
// cost: the list of procedures
SHOW PROCEDURES EXECUTABLE YIELD name
WHERE name = $procedure
RETURN name AS name
