package org.edgedp.neo4j;

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
        /** What Neo4j calls the node. */
        public final String nodeId;
        /** The value of the graph's id property. */
        public final Object id;
        /** The exact value. */
        public final double value;

        Value(Projection projection, int row, double value) {
            this.nodeId = projection.elementIds()[row];
            this.id = projection.id(row);
            this.value = value;
        }
    }

    /** Stream a metric. */
    @Procedure(name = "edgedp.exact.stream", mode = Mode.READ)
    @Description("Return a metric of every node, without noise: not a release, for the curator only.")
    public Stream<Value> stream(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "metric: degree, density, ebc or betweenness2.")
                    Map<String, Object> configuration) {
        return values("exact", name, configuration);
    }

    /** Stream a sensitivity. */
    @Procedure(name = "edgedp.exact.sensitivity", mode = Mode.READ)
    @Description("Return the admissible sensitivity of a metric of every node at distance t, without noise: "
            + "not a release, for the curator only.")
    public Stream<Value> sensitivity(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "metric, t, and form where the metric has several.")
                    Map<String, Object> configuration) {
        return values("sensitivity", name, configuration);
    }

    /** Hand out the whole graph. */
    @Procedure(name = "edgedp.exact.adjacency", mode = Mode.READ)
    @Description("Return nodes and edges as packed little-endian bytes, for the Python store: "
            + "not a release, for the curator only.")
    public Stream<Adjacency> adjacency(@Name(value = "name", description = "Name of the graph.") String name) {
        Call call = call();
        return Adjacency.pieces(call.project(call.graph(name)));
    }

    private Stream<Value> values(String verb, String name, Map<String, Object> configuration) {
        Call call = call();
        GraphEntry graph = call.graph(name);
        ObjectNode request = Call.request(verb, graph, configuration);
        Projection projection = call.project(graph);
        double[] values = call.ask(request, projection).doubles("values");
        return IntStream.range(0, values.length).mapToObj(row -> new Value(projection, row, values[row]));
    }
}
