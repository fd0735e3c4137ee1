package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;

/** Which graphs there are; the curator's. What may be registered is judged by the worker, in Python's words. */
final class Registry {
    private static final List<String> SCHEMA =
            List.of("schema_graph", "schema_ledger", "schema_ledger_type", "schema_release", "schema_release_graph");
    private static final int CLEAR_BATCH = 10_000;
    private static final TypeReference<Map<String, Object>> PARAMETERS = new TypeReference<>() {};

    private final Call call;

    Registry(Call call) {
        this.call = call;
    }

    /** Register a graph that is already there; nothing is copied. */
    void register(String name, Map<String, Object> configuration) {
        ObjectNode request = Frame.request("register").put("name", name);
        request.set("config", Frame.toJson(configuration));
        JsonNode declaration = call.ask(request).header();
        for (String statement : SCHEMA) {
            call.inner().commit(transaction -> rows(transaction, statement, Map.of()));
        }
        GraphEntry asked = entry(declaration);
        ObjectNode check = Frame.request("check_graph");
        check.set("facts", asked.facts());
        JsonNode nodeCount = call.ask(check, call.project(asked)).header().get("node_count");
        call.inner().commit(transaction -> declare(transaction, declaration, nodeCount));
    }

    /** Delete a loaded graph or forget a registered one; what was spent under its name stays spent. */
    void drop(String name) {
        GraphEntry graph = call.graph(name);
        call.inner().commit(transaction -> {
            Ledger.lock(transaction, name);
            if (graph.loaded()) {
                String label = graph.nodeLabel().name();
                String constraint = "edgedp_" + Long.toHexString(graph.version());
                rows(transaction, "load_begin", Map.of("name", name, "nodeLabel", label, "constraintName", constraint));
            }
            return rows(transaction, "graph_forget", Map.of("name", name));
        });
        sweep(name);
    }

    /** Clear what dropped and unfinished versions of a graph left behind, a batch a transaction. */
    private void sweep(String name) {
        for (Map<String, Object> left :
                call.inner().read(transaction -> rows(transaction, "leftovers", Map.of("name", name)))) {
            Map<String, String> label = Map.of("node_label", (String) left.get("nodeLabel"));
            Map<String, String> constraint = Map.of("constraint_name", (String) left.get("constraintName"));
            while (clear(label) > 0) {
                call.guard().check();
            }
            call.inner().commit(transaction -> rows(transaction, "load_drop_constraint", constraint, Map.of()));
            call.inner()
                    .commit(transaction ->
                            rows(transaction, "load_end", Map.of("nodeLabel", left.get("nodeLabel"))));
        }
    }

    private long clear(Map<String, String> label) {
        return call.inner().commit(transaction -> (Long)
                rows(transaction, "clear", label, Map.of("most", CLEAR_BATCH)).get(0).get("cleared"));
    }

    private static GraphEntry entry(JsonNode declaration) {
        JsonNode bound = declaration.get("degreeBound");
        return new GraphEntry(
                declaration.get("name").textValue(),
                declaration.get("version").longValue(),
                Label.label(declaration.get("nodeLabel").textValue()),
                RelationshipType.withName(declaration.get("relationshipType").textValue()),
                declaration.get("idProperty").textValue(),
                0,
                bound.isNull() ? null : (Long) bound.longValue(),
                true,
                false);
    }

    /** Lock the ledger, show what is there to the worker, and run the statements that it answers with. */
    private Void declare(Transaction transaction, JsonNode declaration, JsonNode nodeCount) {
        String named = declaration.get("name").textValue();
        Map<String, Object> name = Map.of("name", named);
        rows(transaction, "ledger_open", name);
        Ledger.lock(transaction, named);
        ObjectNode request = Frame.request("declare");
        request.set("declaration", declaration);
        request.set("node_count", nodeCount);
        ObjectNode read = request.putObject("rows");
        for (String statement : List.of("graph_find", "ledger_find", "ledger_places", "graph_places")) {
            read.set(statement, Frame.toJson(rows(transaction, statement, name)));
        }
        for (JsonNode write : call.ask(request).header().get("statements")) {
            Map<String, Object> parameters = Frame.JSON.convertValue(write.get("parameters"), PARAMETERS);
            rows(transaction, write.get("statement").textValue(), parameters);
        }
        return null;
    }
}
