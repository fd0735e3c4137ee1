// Bulk-load edges.
//
// parameters:
//   rows: Arrow table with the columns from and to, node ids
// columns: none
// cost: 0.4 s for 183,831 edges
COPY {{relationship_type}} FROM $rows
