package org.edgedp.neo4j;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** Releases of what an owner publishes about a graph. */
public final class SummaryProcedures extends ProcedureBase {
    /** One number of the page. */
    public static final class Line {
        /** Its name. */
        public final String number;
        /** A number, the quantiles of the degrees, or the numbers of nodes by degree. */
        public final Object value;

        Line(Map.Entry<String, JsonNode> entry) {
            number = entry.getKey();
            value = Frame.toCypher(entry.getValue());
        }
    }

    /** Stream a release. */
    @Procedure(name = "edgedp.summary.stream", mode = Mode.WRITE)
    @Description("Release several numbers of a graph for one epsilon, epsilon-edge-differentially private; debits the ledger.")
    public Stream<Line> stream(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "epsilon and requestId.")
                    Map<String, Object> configuration) {
        JsonNode answer = Release.draw(call(), "summary", name, configuration, false).answer();
        return answer.get("summary").properties().stream().map(Line::new);
    }

    /** Estimate a release. */
    @Procedure(name = "edgedp.summary.estimate", mode = Mode.READ)
    @Description("Tell what edgedp.summary.stream would cost and whether it would be refused, from public facts alone; "
            + "debits nothing and reads no relationship.")
    public Stream<Estimate> estimate(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "As of edgedp.summary.stream.")
                    Map<String, Object> configuration) {
        return Estimate.of(call(), "summary", name, configuration);
    }
}
