// Whom the database has authenticated.
//
// parameters: none
// columns:
//   username: the user; there is no such procedure on a server that authenticates nobody
// cost: none
//
// The first line stands in every statement that writes who did it; on a server that authenticates nobody, that of
// no_user takes its place.
CALL dbms.showCurrentUser() YIELD username
RETURN username
