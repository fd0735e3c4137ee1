// Drop a version's node or edge table; the edge table goes first.
//
// parameters: none
// columns: none
// cost: none
DROP TABLE {{table}}
