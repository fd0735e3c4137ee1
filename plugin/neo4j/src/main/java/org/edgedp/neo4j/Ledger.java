package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.neo4j.graphdb.Transaction;

/** What may be spent, what was spent and what was drawn for it; every change is committed before anything is shown. */
final class Ledger {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSSxxx");

    private final Call call;

    Ledger(Call call) {
        this.call = call;
    }

    /**
     * What a debit led to.
     *
     * @param releaseId the row that was opened, or that answers the request already
     * @param nodes the node ids of a row that answers already, JSON; null after a fresh debit
     */
    record Debit(String releaseId, String nodes) {}

    /** Check and debit a planned release and commit; a request that was answered before is not debited again. */
    Debit debit(GraphEntry graph, Plan plan) {
        return call.inner()
                .commit(transaction -> debit(transaction, graph, plan))
                .orElseThrow(() -> refusal(graph, plan));
    }

    private static Optional<Debit> debit(Transaction transaction, GraphEntry graph, Plan plan) {
        lock(transaction, graph.name());
        Optional<Debit> kept = kept(transaction, graph, plan);
        if (kept.isPresent()) {
            return kept;
        }
        String releaseId = UUID.randomUUID().toString().replace("-", "");
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("name", graph.name());
        parameters.put("version", graph.version());
        parameters.put("cost", plan.cost());
        parameters.put("charge", plan.charge());
        parameters.put("releaseId", releaseId);
        parameters.put("requestId", plan.requestId());
        parameters.put("at", now());
        parameters.put("selector", plan.selector().pythonName);
        parameters.put("parameters", plan.parameters());
        parameters.put("public", plan.publicFacts());
        boolean pure = row(transaction, graph.name()).get("delta") == null;
        if (!rows(transaction, pure ? "ledger_debit" : "ledger_debit_rho", parameters).isEmpty()) {
            return Optional.of(new Debit(releaseId, null));
        }
        boolean same = GraphEntry.find(transaction, graph.name())
                .filter(now -> now.version() == graph.version())
                .isPresent();
        if (!same) {
            throw new EdgeDPException(
                    "the graph '" + graph.name() + "' was replaced or dropped meanwhile, must stay; ask again");
        }
        return Optional.empty();
    }

    /** Return the release that answers a request already. */
    private static Optional<Debit> kept(Transaction transaction, GraphEntry graph, Plan plan) {
        if (plan.requestId() == null) {
            return Optional.empty();
        }
        List<Map<String, Object>> found = rows(
                transaction, "release_find", Map.of("name", graph.name(), "requestId", plan.requestId()));
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Map<String, Object> row = found.get(0);
        JsonNode asked = Frame.fromJson(plan.parameters(), JsonNode.class);
        if (!plan.selector().pythonName.equals(row.get("selector"))
                || !asked.equals(Frame.fromJson((String) row.get("parameters"), JsonNode.class))) {
            throw new EdgeDPException("requestId is '" + plan.requestId()
                    + "', must be new for another request; choose another identifier");
        }
        if (row.get("nodes") == null) {
            throw new EdgeDPException("requestId is '" + plan.requestId()
                    + "', whose release was debited and not drawn; ask again with another identifier (it costs again)");
        }
        return Optional.of(new Debit((String) row.get("releaseId"), (String) row.get("nodes")));
    }

    /** Keep what was drawn, so that a lost answer can be read again. */
    void record(String releaseId, String nodes) {
        boolean kept = call.inner()
                .commit(transaction -> !rows(
                                transaction, "release_record", Map.of("releaseId", releaseId, "nodes", nodes))
                        .isEmpty());
        if (!kept) {
            throw new EdgeDPException(
                    "the release's row is gone, must be in the ledger; what was asked for stays spent");
        }
    }

    Account account(String name) {
        Map<String, Object> row = call.inner().read(transaction -> row(transaction, name));
        return Account.of(call, List.of(row)).get(0);
    }

    /** Return a ledger's row; a name that has no graph and never had one is refused. */
    static Map<String, Object> row(Transaction transaction, String name) {
        return rows(transaction, "ledger_find", Map.of("name", String.valueOf(name))).stream()
                .findFirst()
                .orElseThrow(() -> unknown(name));
    }

    /** Take a ledger's write lock until the transaction ends; what is read after it is current. */
    static void lock(Transaction transaction, String name) {
        if (rows(transaction, "ledger_lock", Map.of("name", name)).isEmpty()) {
            throw unknown(name);
        }
    }

    static String now() {
        return OffsetDateTime.now(ZoneOffset.UTC).format(TIME);
    }

    private static EdgeDPException unknown(String name) {
        return new EdgeDPException("the graph is '" + name + "', must have been loaded or registered; "
                + "see edgedp.graph.list() and edgedp.graph.register()");
    }

    /** Say why a release does not fit; the words are Python's. */
    private EdgeDPException refusal(GraphEntry graph, Plan plan) {
        Map<String, Object> row = call.inner().read(transaction -> row(transaction, graph.name()));
        ObjectNode request = Frame.request("refusal")
                .put("name", graph.name())
                .put("selector", plan.selector().pythonName)
                .put("parameters", plan.parameters());
        request.set("facts", graph.facts());
        request.set("ledger", Frame.toJson(row));
        return new EdgeDPException(call.ask(request).header().get("sentence").textValue());
    }
}
