// Whether this database can be written to.
//
// parameters:
//   database: its name, or null for the user's home database
// columns:
//   access: read-write or read-only
// cost: none
SHOW DATABASES YIELD name, access, home
WHERE name = $database OR ($database IS NULL AND home)
RETURN access
