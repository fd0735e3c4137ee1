package org.edgedp.neo4j;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/**
 * A validated release, as the worker planned it from the caller's configuration and public facts alone.
 *
 * @param cost nano-epsilon
 * @param charge what it adds to a ledger that has a delta, pico-rho
 * @param parameters canonical parameters, JSON
 * @param publicFacts what the release rests on, JSON
 * @param requestId the asker's identifier, or null
 * @param writeProperty where the ranks go, or null
 */
record Plan(
        Selector selector,
        long cost,
        long charge,
        String parameters,
        String publicFacts,
        String requestId,
        String writeProperty) {
    static Plan of(Call call, Selector selector, GraphEntry graph, Map<String, Object> configuration, boolean writes) {
        ObjectNode request = Call.request("plan", graph, configuration)
                .put("selector", selector.pythonName)
                .put("writes", writes)
                .put("id_property", graph.idProperty());
        ObjectNode answer = call.ask(request).header();
        return new Plan(
                selector,
                answer.get("cost").longValue(),
                answer.get("charge").longValue(),
                answer.get("parameters").textValue(),
                answer.get("public").textValue(),
                answer.get("request_id").textValue(),
                answer.get("write_property").textValue());
    }
}
