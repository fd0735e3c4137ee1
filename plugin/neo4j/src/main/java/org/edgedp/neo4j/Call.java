package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;
import org.neo4j.logging.Log;
import org.neo4j.procedure.TerminationGuard;

/**
 * What one procedure call has at hand.
 *
 * @param inner transactions of the plugin's own
 * @param callers the transaction of the caller, for what the caller may roll back
 */
record Call(InnerTransactions inner, Transaction callers, WorkerPool workers, TerminationGuard guard, Log log) {
    static Call of(GraphDatabaseService database, Transaction callers, TerminationGuard guard, Log log) {
        WorkerPool workers = WorkerPool.current();
        Settings settings = workers.settings();
        InnerTransactions inner = new InnerTransactions(database, guard, settings.lockLimit(), settings.transactionLimit());
        Statements.learn(inner);
        return new Call(inner, callers, workers, guard, log);
    }

    /** Return a stored graph; an unknown name is refused with the nearest known one. */
    GraphEntry graph(String name) {
        String wanted = named(name);
        return inner.read(transaction -> GraphEntry.find(transaction, wanted)).orElseThrow(() -> unknown(wanted));
    }

    /** Return a graph's account's row; a name that has none, and never had, is refused, and that of its second account. */
    Map<String, Object> account(String name) {
        String wanted = named(name);
        if (Account.isSecond(wanted)) {
            throw unknown(wanted);
        }
        return read("account_find", wanted).stream().findFirst().orElseThrow(() -> unknown(wanted));
    }

    /** Read the rows of a statement about a name. */
    List<Map<String, Object>> read(String statement, String name) {
        return inner.read(transaction -> rows(transaction, statement, Map.of("name", named(name))));
    }

    /** Read the accounts of a graph's relationship types; none where its own ledger is the account. */
    List<Map<String, Object>> accounts(GraphEntry graph) {
        return graph.accounts().stream()
                .flatMap(account -> read("account_find", account).stream())
                .toList();
    }

    /** Whether the caller may call a procedure, by what the database allows. */
    boolean mayCall(String procedure) {
        return !rows(callers, "callable", Map.of("procedure", procedure)).isEmpty();
    }

    /** Refuse a name that is null. */
    static String named(String name) {
        if (name == null) {
            throw new EdgeDPException("name is null, must be the name of a graph; see edgedp.graph.list()");
        }
        return Arguments.text("name", name);
    }

    private EdgeDPException unknown(String name) {
        ObjectNode request = Frame.request("unknown_graph").put("name", name);
        ArrayNode names = request.putArray("names");
        inner.read(transaction -> rows(transaction, "graph_places", Map.of()))
                .forEach(row -> names.add((String) row.get("name")));
        return refused(request);
    }

    /** Ask for a refusal, which comes in the worker's words. */
    EdgeDPException refused(ObjectNode request) {
        ask(request);
        return new EdgeDPException("the worker did not refuse what it must; report this");
    }

    /** Run a curator's script; an outcome that is not its own is refused in the worker's words. */
    void run(String name, JsonNode graph, JsonNode script) {
        Script.Outcome outcome = inner.run(Script.of(script));
        if (!outcome.done()) {
            ObjectNode request = Frame.request("curator_refusal").put("name", name).put("outcome", outcome.name());
            request.set("graph", graph);
            request.set("rows", outcome.rows());
            throw refused(request);
        }
    }

    Projection project(GraphEntry graph) {
        return project(graph, null);
    }

    /** Read a graph, or the windows of it that a plan names; null and JSON's null are for everything. */
    Projection project(GraphEntry graph, JsonNode window) {
        return inner.read(transaction -> Projection.read(transaction, graph, window, guard));
    }

    /** Return what Neo4j calls the nodes of some rows; null for what was deleted since they were read. */
    String[] elementIds(GraphEntry graph, Projection projection, int[] rows) {
        return inner.read(transaction -> projection.elementIds(transaction, graph, rows, guard));
    }

    Frame ask(ObjectNode request) {
        return workers.ask(new Frame(request), guard, log);
    }

    /** Read the values of a property, one a node; what is missing or no number, the statement says, is NaN. */
    double[] records(GraphEntry graph, String property) {
        return inner.read(
                transaction -> Statements.numbers(transaction, "property", graph.place(property), "value"));
    }

    Frame ask(ObjectNode request, Projection projection) {
        return ask(request, projection.arrays());
    }

    Frame ask(ObjectNode request, Map<String, Object> arrays) {
        return workers.ask(new Frame(request, arrays), guard, log);
    }

    /** Ask for a draw, which may ask for further debits, each committed before the worker goes on; then for titles. */
    Frame draw(ObjectNode request, Map<String, Object> arrays, GraphEntry graph) {
        return workers.ask(new Frame(request, arrays), guard, log, asked -> {
            if (asked.has("pay")) {
                boolean paid = inner.run(Script.of(asked.get("pay"))).done();
                return Frame.request("paid").put("paid", paid);
            }
            ObjectNode titled = Frame.request("titled");
            titled.set("titles", inner.read(transaction -> graph.titles(transaction, asked.get("titles"))));
            return titled;
        });
    }

    /** A request with the caller's configuration. */
    static ObjectNode request(String verb, Map<String, Object> configuration) {
        ObjectNode request = Frame.request(verb);
        request.set("config", Arguments.of("the configuration", configuration));
        return request;
    }
}
