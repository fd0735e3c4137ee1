package org.edgedp.neo4j;

import java.util.ArrayList;
import java.util.List;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;

/** The values of the id property of all nodes, typed while they are read. */
final class Ids {
    private final LongArrayList numbers = new LongArrayList();
    private final List<String> texts = new ArrayList<>();
    private boolean broken;

    void add(Object value) {
        if (isWhole(value)) {
            numbers.add(((Number) value).longValue());
        } else if (value instanceof String text) {
            texts.add(text);
        } else {
            broken = true;
        }
    }

    /** Return a {@code long[]} or a {@code String[]}; null where ids are missing or mixed: Python has the words. */
    Object typed() {
        if (broken || (!numbers.isEmpty() && !texts.isEmpty())) {
            return null;
        }
        return texts.isEmpty() ? numbers.toArray() : texts.toArray(String[]::new);
    }

    /** Whether a property holds an id, as it was typed. */
    static boolean same(Object value, Object id) {
        return isWhole(value) ? id.equals(((Number) value).longValue()) : id.equals(value);
    }

    private static boolean isWhole(Object value) {
        return value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
    }
}
