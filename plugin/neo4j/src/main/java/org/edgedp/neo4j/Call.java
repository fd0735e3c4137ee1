package org.edgedp.neo4j;

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

    GraphEntry graph(String name) {
        return inner.read(transaction -> GraphEntry.find(transaction, name));
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
