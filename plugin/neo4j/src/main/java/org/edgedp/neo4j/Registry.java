package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;

/** Which graphs there are; the curator's. What may be registered is judged by the worker, in Python's words. */
final class Registry {
    private static final List<String> SCHEMA =
            List.of("schema_graph", "schema_ledger", "schema_release", "schema_release_graph");
    private static final int CLEAR_BATCH = 10_000;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Call call;

    Registry(Call call) {
        this.call = call;
    }

    /** Register a graph that is already there; nothing is copied. */
    void register(String name, Map<String, Object> configuration) {
        ObjectNode request = Frame.request("register").put("name", name);
        request.set("config", Frame.toJson(configuration));
        JsonNode declared = call.ask(request).header();
        for (String statement : SCHEMA) {
            call.inner().commit(transaction -> rows(transaction, statement, Map.of()));
        }
        GraphEntry asked = entry(declared);
        ObjectNode check = Frame.request("check_graph");
        check.set("facts", asked.facts());
        long nodeCount = call.ask(check, call.project(asked)).header().get("node_count").longValue();
        call.inner().commit(transaction -> put(transaction, asked, declared, nodeCount));
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

    private static GraphEntry entry(JsonNode declared) {
        JsonNode bound = declared.get("degreeBound");
        return new GraphEntry(
                declared.get("name").textValue(),
                RANDOM.nextLong() >>> 2,
                Label.label(declared.get("nodeLabel").textValue()),
                RelationshipType.withName(declared.get("relationshipType").textValue()),
                declared.get("idProperty").textValue(),
                0,
                bound.isNull() ? null : (Long) bound.longValue(),
                true,
                false);
    }

    /** Open the ledger, or find the one that outlived an earlier graph, declare its amounts and write the row. */
    private List<Map<String, Object>> put(
            Transaction transaction, GraphEntry graph, JsonNode declared, long nodeCount) {
        Map<String, Object> name = Map.of("name", graph.name());
        String type = graph.relationshipType().name();
        rows(transaction, "ledger_open", name);
        Ledger.lock(transaction, graph.name());
        judge(transaction, declared);
        JsonNode budget = declared.get("epsilonBudget");
        if (!budget.isNull()) {
            rows(transaction, "ledger_set_budget", Map.of(
                    "name", graph.name(),
                    "budget", budget.longValue(),
                    "changeId", UUID.randomUUID().toString().replace("-", ""),
                    "at", Ledger.now()));
        }
        JsonNode limit = declared.get("maxEpsilonPerRelease");
        if (!limit.isNull()) {
            rows(transaction, "ledger_set_limit", Map.of("name", graph.name(), "maxPerRelease", limit.longValue()));
        }
        rows(transaction, "ledger_place", Map.of("name", graph.name(), "relationshipType", type));
        return rows(transaction, "graph_put", row(graph, nodeCount));
    }

    /** Refuse a name or a type that is taken, and a budget below what was spent; the ledger is locked. */
    private void judge(Transaction transaction, JsonNode declared) {
        ObjectNode request = Frame.request("may_register");
        request.set("declared", declared);
        ObjectNode read = request.putObject("rows");
        Map<String, Object> name = Map.of("name", declared.get("name").textValue());
        for (String statement : List.of("graph_find", "ledger_find", "ledger_places", "graph_places")) {
            read.set(statement, Frame.toJson(rows(transaction, statement, name)));
        }
        call.ask(request);
    }

    private static Map<String, Object> row(GraphEntry graph, long nodeCount) {
        Map<String, Object> row = new HashMap<>();
        row.put("name", graph.name());
        row.put("version", graph.version());
        row.put("nodeLabel", graph.nodeLabel().name());
        row.put("relationshipType", graph.relationshipType().name());
        row.put("idProperty", graph.idProperty());
        row.put("nodeCount", nodeCount);
        row.put("degreeBound", graph.degreeBound());
        row.put("nodesSupplied", true);
        row.put("loaded", false);
        return row;
    }
}
