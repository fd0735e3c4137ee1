package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;
import org.neo4j.logging.Log;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;

/**
 * What one procedure call has at hand.
 *
 * @param inner transactions of the plugin's own
 * @param callers the transaction of the caller, for what the caller may roll back
 */
record Call(
        InnerTransactions inner,
        Transaction callers,
        WorkerPool workers,
        TerminationGuard guard,
        Log log,
        Memory memory) {
    static Call of(
            GraphDatabaseService database,
            Transaction callers,
            TerminationGuard guard,
            Log log,
            ProcedureMemory memory) {
        WorkerPool workers = WorkerPool.current();
        Settings settings = workers.settings();
        InnerTransactions inner = new InnerTransactions(database, guard, settings.lockLimit(), settings.transactionLimit());
        Statements.learn(inner);
        return new Call(inner, callers, workers, guard, log, new Memory(memory));
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

    /** Read a graph's nodes, for which the heap must have room; {@code each} is what the call takes of it beside. */
    Nodes nodes(GraphEntry graph, long each) {
        long count = inner.read(graph::nodeCount);
        memory.take(Memory.ofNodes(count, false) + each * count);
        Nodes nodes = inner.read(transaction -> Nodes.read(transaction, graph, guard));
        memory.take(nodes.textBytes());
        return nodes;
    }

    /** Return what Neo4j calls the nodes of some rows; null for what was deleted since they were read. */
    String[] elementIds(GraphEntry graph, Nodes nodes, int[] rows) {
        return inner.read(transaction -> nodes.elementIds(transaction, graph, rows, guard));
    }

    /** Read a graph's relationships, or those within the windows that a plan names; null and JSON's null are all. */
    void read(GraphEntry graph, Nodes nodes, JsonNode window, Pairs pairs, LongConsumer seen) {
        inner.read(transaction -> {
            new Reading(transaction, graph, nodes, guard, seen).to(pairs, window);
            return null;
        });
        pairs.end();
    }

    Frame ask(ObjectNode request) {
        return workers.ask(new Frame(request), guard, log);
    }

    /** Ask of a whole graph, as a curator does; how far the reading is stands in the transaction's metadata. */
    Frame ask(ObjectNode request, GraphEntry graph, Nodes nodes) {
        return workers.ask(new Frame(request, nodes.arrays()), reading(graph, nodes, null, told(graph)), guard, log);
    }

    private WorkerPool.Feed reading(GraphEntry graph, Nodes nodes, JsonNode window, LongConsumer seen) {
        return taker -> read(graph, nodes, window, new Pairs(Pairs.PIECE, graph.weighted(), taker), seen);
    }

    /** Say in the metadata of the caller's transaction how far a reading is: for exact reads alone, it counts edges. */
    LongConsumer told(GraphEntry graph) {
        long began = System.nanoTime();
        return seen -> {
            long rate = seen * 1_000_000_000L / Math.max(1, System.nanoTime() - began);
            String said = "reading " + graph.name() + ": " + seen + " relationships, " + rate + " a second";
            rows(callers, "progress", Map.of("told", said));
        };
    }

    /** Read the values of a property of nodes, as the worker takes them. */
    Map<String, Object> records(GraphEntry graph, Nodes nodes, String property) {
        return Map.of("values", inner.read(transaction -> nodes.values(transaction, graph, property, guard)));
    }

    /** Ask of what was read of the nodes alone. */
    Frame ask(ObjectNode request, Map<String, Object> arrays) {
        return workers.ask(new Frame(request, arrays), guard, log);
    }

    /** Ask for a draw, which may ask for further debits, each committed before the worker goes on; then for titles. */
    Frame draw(ObjectNode request, GraphEntry graph, Nodes nodes, JsonNode window) {
        Frame asking = new Frame(request, nodes.arrays());
        return workers.ask(asking, reading(graph, nodes, window, seen -> {}), guard, log, asked -> {
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
