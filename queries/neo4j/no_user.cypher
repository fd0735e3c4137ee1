// Who did something on a server that authenticates nobody (dbms.security.auth_enabled=false): see current_user.
//
// parameters: none
// columns:
//   username: a fixed name
// cost: none
WITH *, 'unauthenticated' AS username
RETURN username
