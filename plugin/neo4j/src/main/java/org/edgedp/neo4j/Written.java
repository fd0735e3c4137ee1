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

    static Stream<Written> release(Call call, String kind, String name, Map<String, Object> configuration) {
        Release release = Release.draw(call, kind, name, configuration, true);
        return release.receipt()
                .saying(call, () -> Stream.of(
                        new Written(release.writeRanks(call), Account.of(call, name).remaining())));
    }
}
