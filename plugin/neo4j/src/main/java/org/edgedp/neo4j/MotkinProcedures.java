package org.edgedp.neo4j;

import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** Releases by DP-MOTkIN: nodes that are good in several metrics at once. */
public final class MotkinProcedures extends ProcedureBase {
    private static final String KIND = "motkin";

    /** Stream a release. */
    @Procedure(name = "edgedp.motkin.stream", mode = Mode.WRITE)
    @Description("Release k nodes that are high in several metrics at once, epsilon-edge-differentially private; "
            + "debits the ledger.")
    public Stream<Release.Rank> stream(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "metrics, k, epsilon, and what docs/procedures.md lists.")
                    Map<String, Object> configuration) {
        Call call = call();
        return Release.draw(call, KIND, name, configuration, false).ranks(call);
    }

    /** Write a release. */
    @Procedure(name = "edgedp.motkin.write", mode = Mode.WRITE)
    @Description("Release as edgedp.motkin.stream does and write each node's rank to a property, "
            + "after clearing the property's old marks.")
    public Stream<Written> write(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "As of edgedp.motkin.stream, writeProperty and overwrite.")
                    Map<String, Object> configuration) {
        return Written.release(call(), KIND, name, configuration);
    }

    /** Estimate a release. */
    @Procedure(name = "edgedp.motkin.estimate", mode = Mode.READ)
    @Description("Tell what edgedp.motkin.stream would cost and whether it would be refused, from public facts alone; "
            + "debits nothing and reads no relationship.")
    public Stream<Estimate> estimate(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "As of edgedp.motkin.stream.")
                    Map<String, Object> configuration) {
        return Estimate.of(call(), KIND, name, configuration);
    }
}
