// The titles of some nodes: a public property, as it is now.
//
// parameters:
//   ids: list of values of the id property
//   longest: how many characters a title has at most
// columns:
//   id: one of them that a node has
//   title: text; null for what is missing, longer, or neither a text nor a number
// cost: an index lookup each; without an index one pass over the nodes, however many ids are asked for
MATCH (node:{{node_label}})
WHERE node.{{id_property}} IN $ids
WITH node.{{id_property}} AS id, node.{{property}} AS kept
RETURN id AS id, CASE
    WHEN kept IS :: STRING NOT NULL AND 0 < size(kept) <= $longest THEN kept
    WHEN kept IS :: INTEGER NOT NULL OR kept IS :: FLOAT NOT NULL THEN toString(kept)
END AS title
