package org.edgedp.neo4j;

import java.util.Map;
import java.util.stream.Stream;

/** What a {@code .write} procedure tells. */
public final class Written {
    /** Number of nodes that carry a rank now. */
    public final long nodePropertiesWritten;
    /** What is left of the budget. */
    public final Double epsilonRemaining;

    private Written(long nodePropertiesWritten, Double epsilonRemaining) {
        this.nodePropertiesWritten = nodePropertiesWritten;
        this.epsilonRemaining = epsilonRemaining;
    }

    static Stream<Written> release(Call call, Selector selector, String name, Map<String, Object> configuration) {
        Release release = Release.draw(call, selector, name, configuration, true);
        long count = release.write(call.callers());
        return Stream.of(new Written(count, new Ledger(call).account(name).remaining()));
    }
}
