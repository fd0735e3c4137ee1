package org.edgedp.neo4j;

import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** Releases by PrivTopk and by the joint mechanism: the nodes of the highest metric. */
public final class PrivTopkProcedures extends ProcedureBase {
    private static final String KIND = "priv_top_k";

    /** Stream a release. */
    @Procedure(name = "edgedp.privTopk.stream", mode = Mode.WRITE)
    @Description("Release the k nodes of the highest metric, epsilon-edge-differentially private; debits the ledger.")
    public Stream<Release.Rank> stream(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "metric, k, epsilon, and what docs/procedures.md lists.")
                    Map<String, Object> configuration) {
        Call call = call();
        return Release.draw(call, KIND, name, configuration, false).ranks(call);
    }

    /** Write a release. */
    @Procedure(name = "edgedp.privTopk.write", mode = Mode.WRITE)
    @Description("Release as edgedp.privTopk.stream does and write each node's rank to a property, "
            + "after clearing the property's old marks.")
    public Stream<Written> write(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "As of edgedp.privTopk.stream, writeProperty and overwrite.")
                    Map<String, Object> configuration) {
        return Written.release(call(), KIND, name, configuration);
    }

    /** Estimate a release. */
    @Procedure(name = "edgedp.privTopk.estimate", mode = Mode.READ)
    @Description("Tell what edgedp.privTopk.stream would cost and whether it would be refused, from public facts alone; "
            + "debits nothing and reads no relationship.")
    public Stream<Estimate> estimate(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "configuration", description = "As of edgedp.privTopk.stream.")
                    Map<String, Object> configuration) {
        return Estimate.of(call(), KIND, name, configuration);
    }
}
