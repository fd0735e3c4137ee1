package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** What is computed from private edges without a mechanism; for the curator, never to be published. */
public final class ExactProcedures extends ProcedureBase {
    /** The exact value of one node. */
    public static final class Value {
        /** What Neo4j calls the node; null if it was deleted since. */
        public final String nodeId;
        /** The value of the graph's id property. */
        public final Object id;
        /** The exact value. */
        public final double value;

        Value(String nodeId, Object id, double value) {
            this.nodeId = nodeId;
            this.id = id;
            this.value = value;
        }
    }

    /** Stream a metric. */
    @Procedure(name = "edgedp.exact.stream", mode = Mode.WRITE)
    @Description("Return a metric of every node, without noise: not a release, for the curator only.")
    public Stream<Value> stream(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "metric, one that docs/procedures.md lists.")
                    Map<String, Object> configuration) {
        return values("exact", name, configuration);
    }

    /** Stream a sensitivity. */
    @Procedure(name = "edgedp.exact.sensitivity", mode = Mode.WRITE)
    @Description("Return the admissible sensitivity of a metric of every node at distance t, without noise: "
            + "not a release, for the curator only.")
    public Stream<Value> sensitivity(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "metric, t, and form where the metric has several.")
                    Map<String, Object> configuration) {
        return values("sensitivity", name, configuration);
    }

    /** Hand out the whole graph. */
    @Procedure(name = "edgedp.exact.adjacency", mode = Mode.WRITE)
    @Description("Return nodes and edges as packed little-endian bytes, for the Python store: "
            + "not a release, for the curator only.")
    public Stream<Adjacency> adjacency(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(
                            value = "entry",
                            defaultValue = "0",
                            description = "Number of the log's row that notes this read already: its last row, or a "
                                    + "release that is being drawn. With 0 a row is written.")
                    Long entry) {
        Call call = call();
        new Schema(call).check();
        GraphEntry graph = call.graph(name);
        if (entry == null || entry == 0 || !noted(call, graph, entry)) {
            note(call, graph, "adjacency", null);
        }
        return Adjacency.pieces(call, graph);
    }

    private Stream<Value> values(String verb, String name, Map<String, Object> configuration) {
        Call call = call();
        new Schema(call).check();
        GraphEntry graph = call.graph(name);
        note(call, graph, verb, configuration);
        Nodes nodes = call.nodes(graph, Memory.SHOWN + (Reading.byIds(graph, null) ? Memory.BY_ID : 0));
        ObjectNode request = Call.request(verb, configuration);
        request.set("graph", graph.row());
        double[] values = call.ask(request, graph, nodes).doubles("values");
        String[] nodeIds = call.elementIds(graph, nodes, nodes.allRows());
        return IntStream.range(0, values.length)
                .mapToObj(row -> new Value(nodeIds[row], nodes.id(row), values[row]))
                .onClose(call.memory()::close);
    }

    /** Note an exact read in the log before anything is read. */
    private static void note(Call call, GraphEntry graph, String verb, Map<String, Object> configuration) {
        ObjectNode request = Call.request("exact_script", configuration).put("name", graph.name());
        request.put("read", verb);
        request.set("graph", graph.row());
        JsonNode script = call.ask(request).header().get("script");
        try {
            call.run(graph.name(), graph.row(), script);
            noted(call, graph, 0); // the row is of this read, and of no further one
        } catch (InnerTransactions.ReadOnlyException copy) {
            // a copy that nobody can write to keeps no log
        }
    }

    private static boolean noted(Call call, GraphEntry graph, long entry) {
        try {
            return call.inner().commit(transaction -> !rows(
                            transaction, "exact_noted", Map.of("name", graph.name(), "entry", entry))
                    .isEmpty());
        } catch (InnerTransactions.ReadOnlyException copy) {
            return false;
        }
    }
}
