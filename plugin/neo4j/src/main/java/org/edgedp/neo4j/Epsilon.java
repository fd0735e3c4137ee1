package org.edgedp.neo4j;

import java.math.BigDecimal;

/** Amounts are integer nano-epsilon everywhere but in the rows that are shown. */
final class Epsilon {
    private static final int NANO_DIGITS = 9;

    private Epsilon() {}

    /** Return the float nearest to an amount, or null for none. */
    static Double shown(Long nano) {
        return nano == null ? null : BigDecimal.valueOf(nano, NANO_DIGITS).doubleValue();
    }
}
