package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;

/**
 * A row of the registry: what is public of a graph, and where its nodes and edges are.
 *
 * @param row its columns, as the worker takes them
 */
record GraphEntry(
        String name, Label nodeLabel, RelationshipType relationshipType, String idProperty, JsonNode row) {
    /** Return the entry of a name, if there is one. */
    static Optional<GraphEntry> find(Transaction transaction, String name) {
        List<Map<String, Object>> found = rows(transaction, "graph_find", Map.of("name", name));
        return found.stream().findFirst().map(columns -> of(Frame.toJson(columns)));
    }

    static GraphEntry of(JsonNode row) {
        return new GraphEntry(
                row.get("name").textValue(),
                Label.label(row.get("nodeLabel").textValue()),
                RelationshipType.withName(row.get("relationshipType").textValue()),
                row.get("idProperty").textValue(),
                row);
    }

    /** What is public of the nodes, as of now. */
    JsonNode survey(Transaction transaction) {
        Map<String, String> place = Map.of("node_label", nodeLabel.name(), "id_property", idProperty);
        return Frame.toJson(rows(transaction, "survey", place, Map.of("nodeLabel", nodeLabel.name()))
                .get(0));
    }

    /** Those of some ids that nodes have. */
    JsonNode named(Transaction transaction, List<Object> ids) {
        Map<String, String> place = Map.of("node_label", nodeLabel.name(), "id_property", idProperty);
        return Frame.toJson(rows(transaction, "named", place, Map.of("ids", ids)));
    }

    /** Return what Neo4j calls the nodes of some ids; of those that no node has, nothing. */
    Map<Object, String> nodeIds(Transaction transaction, List<Object> ids) {
        Map<String, String> place = Map.of("node_label", nodeLabel.name(), "id_property", idProperty);
        Map<Object, String> found = new HashMap<>();
        rows(transaction, "picked", place, Map.of("ids", ids))
                .forEach(row -> found.putIfAbsent(row.get("id"), (String) row.get("nodeId")));
        return found;
    }

    /** Whether an index finds a node by its id. */
    boolean hasIndex(Transaction transaction) {
        Map<String, Object> place = Map.of("nodeLabel", nodeLabel.name(), "idProperty", idProperty);
        return !rows(transaction, "survey_index", place).isEmpty();
    }
}
