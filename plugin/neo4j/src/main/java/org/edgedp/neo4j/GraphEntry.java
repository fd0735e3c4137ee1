package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;

/**
 * A row of the registry: what is public of a graph, and where its nodes and edges are.
 *
 * @param version a number that each load or registration gets anew
 * @param nodeCount number of nodes, as of now where the graph is not edgedp's own
 * @param degreeBound the declared bound, or null
 * @param loaded whether edgedp wrote the graph
 */
record GraphEntry(
        String name,
        long version,
        Label nodeLabel,
        RelationshipType relationshipType,
        String idProperty,
        long nodeCount,
        Long degreeBound,
        boolean nodesSupplied,
        boolean loaded) {
    /** Return the entry of a name, if there is one. */
    static Optional<GraphEntry> find(Transaction transaction, String name) {
        List<Map<String, Object>> found = rows(transaction, "graph_find", Map.of("name", String.valueOf(name)));
        return found.stream().findFirst().map(row -> of(row, transaction));
    }

    private static GraphEntry of(Map<String, Object> row, Transaction transaction) {
        String label = (String) row.get("nodeLabel");
        boolean loaded = (Boolean) row.get("loaded");
        return new GraphEntry(
                (String) row.get("name"),
                (Long) row.get("version"),
                Label.label(label),
                RelationshipType.withName((String) row.get("relationshipType")),
                (String) row.get("idProperty"),
                loaded ? (Long) row.get("nodeCount") : count(transaction, label),
                (Long) row.get("degreeBound"),
                (Boolean) row.get("nodesSupplied"),
                loaded);
    }

    private static long count(Transaction transaction, String label) {
        return (Long) rows(transaction, "node_count", Map.of("node_label", label), Map.of())
                .get(0)
                .get("nodes");
    }

    /** The public facts, as the worker takes them. */
    ObjectNode facts() {
        return Frame.JSON
                .createObjectNode()
                .put("node_count", nodeCount)
                .put("degree_bound", degreeBound)
                .put("nodes_supplied", nodesSupplied);
    }
}
