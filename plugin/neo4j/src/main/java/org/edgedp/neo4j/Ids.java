package org.edgedp.neo4j;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.neo4j.procedure.TerminationGuard;

/** The values of the id property of all nodes, typed while they are read. */
final class Ids {
    private final LongArrayList numbers = new LongArrayList();
    private final List<String> texts = new ArrayList<>();
    private final Set<String> otherTypes = new TreeSet<>();
    private long others;
    private long missing;

    void add(Object value) {
        if (isWhole(value)) {
            numbers.add(((Number) value).longValue());
        } else if (value instanceof String text) {
            texts.add(text);
        } else if (value == null) {
            missing++;
        } else {
            others++;
            otherTypes.add(value.getClass().getSimpleName());
        }
    }

    /** Return a {@code long[]} or a {@code String[]}; null where ids are missing or mixed: Python has the words. */
    Object typed() {
        if (missing > 0 || others > 0 || (!numbers.isEmpty() && !texts.isEmpty())) {
            return null;
        }
        return texts.isEmpty() ? numbers.toArray() : texts.toArray(String[]::new);
    }

    /** What is public of them: how many nodes have one, how many different ones, and of which types. */
    ObjectNode survey(TerminationGuard guard) {
        ObjectNode survey = Frame.JSON.createObjectNode();
        survey.put("identified", numbers.size() + texts.size() + others);
        survey.put("distinctIds", different(guard) + new HashSet<>(texts).size() + others);
        survey.put("empty", texts.stream().filter(String::isEmpty).count());
        ArrayNode types = survey.putArray("types");
        if (missing > 0) types.add("NULL");
        if (!numbers.isEmpty()) types.add("INTEGER NOT NULL");
        if (!texts.isEmpty()) types.add("STRING NOT NULL");
        otherTypes.forEach(types::add);
        return survey;
    }

    private long different(TerminationGuard guard) {
        long[] sorted = numbers.toArray();
        Arrays.sort(sorted); // at once where they ascend, as those of a load do
        guard.check();
        long found = sorted.length == 0 ? 0 : 1;
        for (int each = 1; each < sorted.length; each++) {
            found += sorted[each] == sorted[each - 1] ? 0 : 1;
        }
        return found;
    }

    /** Whether a property holds an id, as it was typed. */
    static boolean same(Object value, Object id) {
        return isWhole(value) ? id.equals(((Number) value).longValue()) : id.equals(value);
    }

    private static boolean isWhole(Object value) {
        return value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
    }
}
