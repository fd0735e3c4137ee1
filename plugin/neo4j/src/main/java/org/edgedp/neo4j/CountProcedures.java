package org.edgedp.neo4j;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** Releases of one number. */
public final class CountProcedures extends ProcedureBase {
    /** A noisy number. */
    public static final class Value {
        /** The number: an integer, or a float for a metric of a node; a float too beyond 64 bits. */
        public final Object value;
        /** Where the interval around it begins; null where it is private. */
        public final Object low;
        /** Where the interval ends; null where it is private. */
        public final Object high;
        /** Scale of the noise; null where it is private. */
        public final Double scale;

        Value(JsonNode answer) {
            value = Frame.toCypher(answer.get("value"));
            low = Frame.toCypher(answer.path("interval").path(0));
            high = Frame.toCypher(answer.path("interval").path(1));
            scale = answer.has("scale") ? answer.get("scale").doubleValue() : null;
        }
    }

    /** Stream a release. */
    @Procedure(name = "edgedp.count.stream", mode = Mode.WRITE)
    @Description("Release one number of a graph, epsilon-edge-differentially private; debits the ledger.")
    public Stream<Value> stream(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "of, epsilon, and what docs/procedures.md lists.")
                    Map<String, Object> configuration) {
        return Stream.of(new Value(Release.draw(call(), "count", name, configuration, false).answer()));
    }

    /** Estimate a release. */
    @Procedure(name = "edgedp.count.estimate", mode = Mode.READ)
    @Description("Tell what edgedp.count.stream would cost and whether it would be refused, from public facts alone; "
            + "debits nothing and reads no relationship.")
    public Stream<Estimate> estimate(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "As of edgedp.count.stream.")
                    Map<String, Object> configuration) {
        return Estimate.of(call(), "count", name, configuration);
    }
}
