package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.neo4j.graphdb.Transaction;

/** Which graphs there are; the curator's. What may be registered is judged by the worker, in Python's words. */
final class Registry {
    private static final int CLEAR_BATCH = 10_000;

    /** As in {@code sources.py}. */
    private static final List<String> PLACES = List.of("account_list", "account_places", "graph_places", "log_names");

    private final Call call;

    Registry(Call call) {
        this.call = call;
    }

    /** Register a graph that is already there, nothing is copied; return what the curator is told of it. */
    JsonNode register(String name, Map<String, Object> configuration) {
        JsonNode asked =
                call.ask(Call.request("register", configuration).put("name", Call.named(name)))
                        .header();
        new Schema(call).migrate();
        GraphEntry entry = GraphEntry.of(asked.get("graph"));
        ObjectNode check = Frame.request("check_graph");
        check.set("graph", entry.row());
        check.set("declared", asked.get("declared"));
        Nodes nodes = call.nodes(entry, Reading.byIds(entry, null) ? Memory.BY_ID : 0);
        check.set("survey", nodes.survey());
        check.set("unindexed", call.inner().read(entry::unindexed));
        check.set("allow_empty", asked.get("allow_empty"));
        JsonNode checked = call.ask(check, entry, nodes).header();
        call.memory().close();
        JsonNode graph = checked.get("graph");
        ObjectNode request = Frame.request("register_script");
        request.set("graph", graph);
        request.set("declared", asked.get("declared"));
        List<Map<String, Object>> account = call.read("account_find", name);
        request.set("account", Frame.toJson(account.isEmpty() ? null : account.get(0)));
        request.set("last", Frame.toJson(call.read("log_last", name)));
        request.set("attributes", Frame.toJson(call.read("attribute_list", Account.attributes(name))));
        readPlaces(call, request);
        request.set(
                "indexes",
                Frame.toJson(call.inner()
                        .read(transaction -> rows(transaction, "relationship_indexes", Map.of()))));
        JsonNode answer = call.ask(request).header();
        call.run(name, answer.get("graph"), answer.get("script"));
        answer.get("warnings").forEach(((ArrayNode) checked.get("warnings"))::add);
        return checked;
    }

    /** Read what says which account a relationship type has. */
    static void readPlaces(Call call, ObjectNode request) {
        ObjectNode found = request.putObject("rows");
        call.inner().read(transaction -> {
            PLACES.forEach(name -> found.set(name, Frame.toJson(rows(transaction, name, Map.of()))));
            return null;
        });
    }

    /** The rows of all graphs. */
    static JsonNode stored(Transaction transaction) {
        ArrayNode found = Frame.JSON.createArrayNode();
        rows(transaction, "graph_places", Map.of())
                .forEach(place -> GraphEntry.find(transaction, (String) place.get("name"))
                        .ifPresent(graph -> found.add(graph.row())));
        return found;
    }

    /** Declare another budget. */
    void setBudget(String name, Object epsilonBudget, Object delta) {
        ObjectNode request = Frame.request("set_budget").put("name", name);
        request.set("account", Frame.toJson(call.account(name)));
        request.set("graph", call.inner()
                .read(transaction -> GraphEntry.find(transaction, name))
                .map(GraphEntry::row)
                .orElse(null));
        request.set("epsilon_budget", Arguments.of("epsilonBudget", epsilonBudget));
        request.set("delta", Arguments.of("delta", delta));
        call.run(name, null, call.ask(request).header().get("script"));
    }

    /** Delete a loaded graph or forget a registered one; what was spent under its name stays spent. */
    void drop(String name) {
        Optional<GraphEntry> graph = call.inner().read(transaction -> GraphEntry.find(transaction, Call.named(name)));
        if (graph.isEmpty() && !call.read("leftovers", name).isEmpty()) {
            sweep(name);
            return;
        }
        ObjectNode request = Frame.request("drop");
        request.set("graph", call.graph(name).row());
        request.set("last", Frame.toJson(call.read("log_last", name)));
        call.run(name, request.get("graph"), call.ask(request).header().get("script"));
        sweep(name);
    }

    /** Clear what dropped and unfinished versions of a graph left behind, a batch a transaction. */
    private void sweep(String name) {
        for (Map<String, Object> left : call.read("leftovers", name)) {
            Map<String, String> label = Map.of("node_label", (String) left.get("nodeLabel"));
            while (clear(label) > 0) {
                call.guard().check();
            }
            if (left.get("constraintName") instanceof String constraint) {
                call.inner().commit("load_drop_constraint", Map.of("constraint_name", constraint), Map.of());
            }
            call.inner().commit("load_cleared", Map.of(), Map.of("nodeLabel", left.get("nodeLabel")));
        }
    }

    private long clear(Map<String, String> label) {
        return call.inner().commit(transaction -> (Long)
                rows(transaction, "clear", label, Map.of("most", CLEAR_BATCH)).get(0).get("cleared"));
    }
}
