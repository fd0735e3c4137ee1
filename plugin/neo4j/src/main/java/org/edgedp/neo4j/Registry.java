package org.edgedp.neo4j;

import static org.edgedp.neo4j.Ledger.rows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;

/** Which graphs there are; the curator's. */
final class Registry {
    private static final List<String> CONSTRAINTS =
            List.of("constraint_graph", "constraint_ledger", "constraint_release");

    private final Call call;

    Registry(Call call) {
        this.call = call;
    }

    /** Register a graph that is already there; nothing is copied. */
    void register(String name, Map<String, Object> configuration) {
        ObjectNode request = Frame.request("register").put("name", name);
        request.set("config", Frame.toJson(configuration));
        JsonNode declared = call.ask(request).header();
        for (String constraint : CONSTRAINTS) {
            call.inner().commit(transaction -> rows(transaction, constraint, Map.of()));
        }
        GraphEntry asked = entry(declared);
        ObjectNode check = Frame.request("check_graph");
        check.set("facts", asked.facts());
        long nodeCount = call.ask(check, call.project(asked)).header().get("nodeCount").longValue();
        call.inner().commit(transaction -> {
            refuseTaken(transaction, asked);
            declare(transaction, declared);
            rows(transaction, "ledger_place", Map.of("name", name, "relationshipType", typeOf(asked)));
            Object version = rows(transaction, "ledger_version", Map.of("name", name)).get(0).get("version");
            return rows(transaction, "graph_put", row(asked, version, nodeCount));
        });
    }

    /** Forget a graph; what was spent under its name stays spent. */
    void drop(String name) {
        call.inner().commit(transaction -> {
            GraphEntry.find(transaction, name);
            Ledger.lock(transaction, name);
            return rows(transaction, "graph_forget", Map.of("name", name));
        });
    }

    private static GraphEntry entry(JsonNode declared) {
        JsonNode bound = declared.get("degreeBound");
        return new GraphEntry(
                declared.get("name").textValue(),
                0,
                Label.label(declared.get("nodeLabel").textValue()),
                RelationshipType.withName(declared.get("relationshipType").textValue()),
                declared.get("idProperty").textValue(),
                0,
                bound.isNull() ? null : (Long) bound.longValue(),
                true);
    }

    /** One ledger accounts for the relationships of one type, whatever the label and the name. */
    private static void refuseTaken(Transaction transaction, GraphEntry asked) {
        String name = asked.name();
        String type = typeOf(asked);
        if (!rows(transaction, "graph_find", Map.of("name", name)).isEmpty()) {
            throw new EdgeDPException(
                    "name is '" + name + "', must not be stored already; choose another name or drop it first");
        }
        for (Map<String, Object> ledger : rows(transaction, "ledger_places", Map.of())) {
            boolean sameName = name.equals(ledger.get("name"));
            boolean sameType = type.equals(ledger.get("relationshipType"));
            if (sameType && !sameName) {
                throw new EdgeDPException("relationshipType is '" + type + "', whose budget is kept under the name '"
                        + ledger.get("name") + "', must have one name; register it under that name");
            }
            if (sameName && !sameType) {
                throw new EdgeDPException("name is '" + name + "', whose ledger accounts for the type '"
                        + ledger.get("relationshipType") + "', must keep it; choose another name");
            }
        }
        for (Map<String, Object> graph : rows(transaction, "graph_places", Map.of())) {
            if (Boolean.TRUE.equals(graph.get("loaded")) && type.equals(graph.get("relationshipType"))) {
                throw new EdgeDPException("relationshipType is '" + type + "', must not be that of a loaded graph, "
                        + "which has its own budget; use the loaded graph");
            }
        }
    }

    /** Open the ledger, or find the one that outlived an earlier graph, and declare its amounts. */
    private static void declare(Transaction transaction, JsonNode declared) {
        String name = declared.get("name").textValue();
        rows(transaction, "ledger_open", Map.of("name", name));
        Ledger.lock(transaction, name);
        JsonNode budget = declared.get("epsilonBudget");
        JsonNode limit = declared.get("maxEpsilonPerRelease");
        if (!budget.isNull()) {
            Map<String, Object> change = Map.of(
                    "name", name,
                    "budget", budget.longValue(),
                    "changeId", UUID.randomUUID().toString().replace("-", ""),
                    "at", Ledger.now());
            if (rows(transaction, "ledger_set_budget", change).isEmpty()) {
                throw new EdgeDPException("epsilonBudget is " + Epsilon.shown(budget.longValue())
                        + ", must be at least what was spent, "
                        + Epsilon.shown(Balance.find(transaction, name).spent()) + "; declare a larger one");
            }
        }
        if (!limit.isNull()) {
            rows(transaction, "ledger_set_limit", Map.of("name", name, "maxPerRelease", limit.longValue()));
        }
    }

    private static Map<String, Object> row(GraphEntry asked, Object version, long nodeCount) {
        Map<String, Object> row = new HashMap<>();
        row.put("name", asked.name());
        row.put("version", version);
        row.put("nodeLabel", asked.nodeLabel().name());
        row.put("relationshipType", typeOf(asked));
        row.put("idProperty", asked.idProperty());
        row.put("nodeCount", nodeCount);
        row.put("degreeBound", asked.degreeBound());
        row.put("nodesSupplied", true);
        row.put("loaded", false);
        return row;
    }

    private static String typeOf(GraphEntry graph) {
        return graph.relationshipType().name();
    }
}
