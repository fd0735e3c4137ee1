// Drop a version's constraint.
//
// parameters: none
// columns: none
// cost: none
DROP CONSTRAINT {{constraint_name}} IF EXISTS
