// The tables of the file.
//
// parameters: none
// columns:
//   name: name of a table
// cost: none
CALL show_tables() RETURN name
