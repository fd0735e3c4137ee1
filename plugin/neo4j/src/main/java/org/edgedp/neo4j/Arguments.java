package org.edgedp.neo4j;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Array;
import java.util.Collection;
import java.util.Map;

/**
 * What a caller gives to a procedure, as JSON.
 *
 * <p>What a worker cannot be asked, or would be kept busy by, is refused here, before one is taken. The limits are public
 * and far above what any procedure has a use for; what a value means is the worker's to judge.
 */
final class Arguments {
    static final int MOST_LEVELS = 8;
    static final int MOST_VALUES = 100_000;
    static final int LONGEST_TEXT = 10_000;
    private static final int SHOWN = 40;

    private final String name;
    private int values;
    private boolean ofConditions; // whose constants may be moments

    private Arguments(String name) {
        this.name = name;
    }

    /** Return an argument as JSON. */
    static JsonNode of(String name, Object value) {
        return new Arguments(name).json(name, value, 0);
    }

    /** Return a text that is no longer than a text may be. */
    static String text(String place, String value) {
        if (value.length() > LONGEST_TEXT) {
            throw new EdgeDPException(place + " has " + value.length() + " characters, must have at most "
                    + LONGEST_TEXT + "; give a shorter one");
        }
        return value;
    }

    private JsonNode json(String place, Object value, int level) {
        values++;
        if (values > MOST_VALUES) {
            throw new EdgeDPException(
                    name + " holds more than " + MOST_VALUES + " values, must hold fewer; give shorter lists");
        }
        if (level > MOST_LEVELS) {
            throw new EdgeDPException(name + " is nested more than " + MOST_LEVELS
                    + " deep, must not be; give plain values, and lists and maps of them");
        }
        if (value instanceof Map<?, ?> map) {
            ObjectNode object = Frame.JSON.createObjectNode();
            map.forEach((key, inner) -> {
                String of = text("a key of " + name, String.valueOf(key));
                ofConditions = level == 0 ? of.equals("where") : ofConditions;
                object.set(of, json(name + "." + of.substring(0, Math.min(of.length(), SHOWN)), inner, level + 1));
            });
            return object;
        }
        if (value instanceof Collection<?> list) {
            ArrayNode array = Frame.JSON.createArrayNode();
            list.forEach(inner -> array.add(json(place, inner, level + 1)));
            return array;
        }
        if (value != null && value.getClass().isArray() && !(value instanceof byte[])) {
            ArrayNode array = Frame.JSON.createArrayNode(); // what a property holds comes as an array
            for (int each = 0; each < Array.getLength(value); each++) {
                array.add(json(place, Array.get(value, each), level + 1));
            }
            return array;
        }
        if (value instanceof String text) {
            return Frame.JSON.valueToTree(text(place, text));
        }
        if (value == null || value instanceof Number || value instanceof Boolean) {
            return Frame.JSON.valueToTree(value);
        }
        String moment = ofConditions ? Frame.momentOf(value) : null;
        if (moment != null) {
            return Frame.JSON.createObjectNode().put("date", moment);
        }
        throw new EdgeDPException(place + " is of the type " + value.getClass().getSimpleName()
                + ", must be a text, a number, true, false, null, or a list or a map of these; convert it");
    }
}
