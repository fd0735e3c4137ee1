// Delete a batch of a version's nodes with their relationships.
//
// parameters:
//   most: how many nodes at the most
// columns:
//   cleared: number of nodes
// cost: 5 s for email-Enron in all
MATCH (node:{{node_label}})
WITH node LIMIT $most
DETACH DELETE node
RETURN count(*) AS cleared
