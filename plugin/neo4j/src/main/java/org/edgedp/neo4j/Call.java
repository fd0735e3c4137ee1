package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
        return new Call(
                new InnerTransactions(database, workers.settings().lockLimit()), callers, workers, guard, log);
    }

    /** Return a stored graph; an unknown name is refused with the nearest known one. */
    GraphEntry graph(String name) {
        return inner.read(transaction -> GraphEntry.find(transaction, name)).orElseThrow(() -> unknown(name));
    }

    private EdgeDPException unknown(String name) {
        ObjectNode request = Frame.request("unknown_graph").put("name", name);
        ArrayNode names = request.putArray("names");
        inner.read(transaction -> rows(transaction, "graph_list", Map.of()))
                .forEach(row -> names.add((String) row.get("name")));
        return new EdgeDPException(ask(request).header().get("sentence").textValue());
    }

    Projection project(GraphEntry graph) {
        return inner.read(transaction -> Projection.read(transaction, graph, guard));
    }

    Frame ask(ObjectNode request) {
        return workers.ask(new Frame(request), guard, log);
    }

    Frame ask(ObjectNode request, Projection projection) {
        return workers.ask(new Frame(request, projection.arrays()), guard, log);
    }

    /** A request about a graph, with its public facts and the caller's configuration. */
    static ObjectNode request(String verb, GraphEntry graph, Map<String, Object> configuration) {
        ObjectNode request = Frame.request(verb);
        request.set("facts", graph.facts());
        request.set("config", Frame.toJson(configuration));
        return request;
    }
}
