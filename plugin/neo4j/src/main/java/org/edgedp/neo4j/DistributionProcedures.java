package org.edgedp.neo4j;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** Releases of how the degrees are spread. */
public final class DistributionProcedures extends ProcedureBase {
    /** The number of nodes of a degree, or of a degree or more. */
    public static final class Degree {
        /** The degree. */
        public final long degree;
        /** The noisy number of nodes. */
        public final long nodes;

        Degree(long degree, long nodes) {
            this.degree = degree;
            this.nodes = nodes;
        }
    }

    /** Stream a release. */
    @Procedure(name = "edgedp.distribution.stream", mode = Mode.WRITE)
    @Description("Release the numbers of nodes by degree, epsilon-edge-differentially private; debits the ledger.")
    public Stream<Degree> stream(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "epsilon, and what docs/procedures.md lists.")
                    Map<String, Object> configuration) {
        JsonNode answer = Release.draw(call(), "distribution", name, configuration, false).answer();
        JsonNode values = answer.get("values");
        long first = answer.get("first_degree").longValue();
        return IntStream.range(0, values.size())
                .mapToObj(step -> new Degree(first + step, values.get(step).longValue()));
    }

    /** Estimate a release. */
    @Procedure(name = "edgedp.distribution.estimate", mode = Mode.READ)
    @Description("Tell what edgedp.distribution.stream would cost and whether it would be refused, from public facts alone; "
            + "debits nothing and reads no relationship.")
    public Stream<Estimate> estimate(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "As of edgedp.distribution.stream.")
                    Map<String, Object> configuration) {
        return Estimate.of(call(), "distribution", name, configuration);
    }
}
