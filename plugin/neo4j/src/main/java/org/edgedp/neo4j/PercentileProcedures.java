package org.edgedp.neo4j;

import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** Releases from the nodes' records: a percentile of a declared property. */
public final class PercentileProcedures extends ProcedureBase {
    private static final String KIND = "percentile";

    /** A point of the declared grid. */
    public static final class Point {
        /** The point. */
        public final double value;

        Point(double value) {
            this.value = value;
        }
    }

    /** Stream a release. */
    @Procedure(name = "edgedp.percentile.stream", mode = Mode.WRITE)
    @Description("Release a percentile of a declared property, differentially private where one node's record is "
            + "replaced; debits the attributes' account.")
    public Stream<Point> stream(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "property, q, epsilon, and what docs/procedures.md lists.")
                    Map<String, Object> configuration) {
        Release release = Release.draw(call(), KIND, name, configuration, false);
        return Stream.of(new Point(release.answer().get("value").doubleValue()));
    }

    /** Estimate a release. */
    @Procedure(name = "edgedp.percentile.estimate", mode = Mode.READ)
    @Description("Tell what edgedp.percentile.stream would cost and whether it would be refused, from public facts "
            + "alone; debits nothing and reads no property.")
    public Stream<Estimate> estimate(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "As of edgedp.percentile.stream.")
                    Map<String, Object> configuration) {
        return Estimate.of(call(), KIND, name, configuration);
    }
}
