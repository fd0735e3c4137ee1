package org.edgedp.neo4j;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One message of the worker protocol, version 2: a JSON header and raw little-endian arrays.
 *
 * <p>The layout is documented once, in {@code plugin/edgedp/stores/neo4j/frames.py}; {@code tests/conformance/frames.json}
 * holds frames that both ends read and write alike.
 *
 * @param header one JSON object, without the key {@code arrays}
 * @param arrays {@code int[]} (or {@link Ints}), {@code long[]}, {@code double[]} or {@code String[]}, by name, in the order of the body
 */
record Frame(ObjectNode header, Map<String, Object> arrays) {
    static final ObjectMapper JSON = JsonMapper.builder()
            .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .enable(DeserializationFeature.USE_LONG_FOR_INTS)
            .build();

    /** Of bodies of the ledger, whose integers may be beyond 64 bits. */
    private static final ObjectMapper BODIES = new JsonMapper();

    private static final byte[] MAGIC = "edgedp".getBytes(UTF_8);
    private static final short PROTOCOL_VERSION = 2;
    private static final int PREFIX_LENGTH = 20;

    Frame(ObjectNode header) {
        this(header, Map.of());
    }

    /** Start a request for the worker. */
    static ObjectNode request(String verb) {
        return JSON.createObjectNode().put("verb", verb);
    }

    long[] longs(String name) {
        return (long[]) arrays.get(name);
    }

    double[] doubles(String name) {
        return (double[]) arrays.get(name);
    }

    /**
     * A frame as it is written.
     *
     * @param start the prefix and the header
     * @param body the arrays
     */
    record Written(byte[] start, List<Payload> body) {
        /** Bytes, but for the prefix. */
        long length() {
            return start.length - PREFIX_LENGTH + bodyLength();
        }

        /** Bytes of the arrays. */
        long bodyLength() {
            return body.stream().mapToLong(Payload::paddedSize).sum();
        }

        void to(OutputStream stream) throws IOException {
            stream.write(start);
            for (Payload payload : body) {
                payload.write(stream);
            }
            stream.flush();
        }
    }

    /** Return what is written of the frame; one that cannot be, or is beyond the limit, is refused. */
    Written written(long limit) {
        ObjectNode described = header.deepCopy();
        List<Payload> payloads = new ArrayList<>();
        if (!arrays.isEmpty()) {
            ArrayNode listed = described.putArray("arrays");
            arrays.forEach((name, array) -> {
                Payload payload = Payload.of(array);
                listed.addObject()
                        .put("name", name)
                        .put("type", payload.type())
                        .put("length", payload.length())
                        .put("bytes", payload.size());
                payloads.add(payload);
            });
        }
        byte[] text = text(described);
        long body = payloads.stream().mapToLong(Payload::paddedSize).sum();
        if (text.length + body > limit) {
            throw tooLong(limit);
        }
        byte[] start = littleEndian(Math.addExact(PREFIX_LENGTH, text.length))
                .put(MAGIC)
                .putShort(PROTOCOL_VERSION)
                .putInt(text.length)
                .putLong(body)
                .put(text)
                .array();
        return new Written(start, payloads);
    }

    /** The refusal of a graph beyond the limit; no length: it tells the number of relationships, after the debit. */
    static EdgeDPException tooLong(long limit) {
        return new EdgeDPException("the graph needs a longer frame than " + limit
                + " bytes; raise worker.frame.limit in conf/edgedp.conf");
    }

    private static byte[] text(ObjectNode header) {
        try {
            return JSON.writeValueAsBytes(header);
        } catch (JsonProcessingException | StackOverflowError unwritable) {
            throw new EdgeDPException(
                    "what was asked cannot be sent to a worker, must be plain text, numbers, and lists and maps of them; "
                            + "give less of it");
        }
    }

    /** Read one frame; an {@link EOFException} says that the other side has stopped. */
    static Frame read(InputStream stream, long limit) throws IOException {
        ByteBuffer prefix = ByteBuffer.wrap(exactly(stream, PREFIX_LENGTH)).order(ByteOrder.LITTLE_ENDIAN);
        byte[] magic = new byte[MAGIC.length];
        prefix.get(magic);
        if (!Arrays.equals(magic, MAGIC)) {
            throw new EdgeDPException(
                    "the worker does not speak edgedp's protocol, must; see worker.python in conf/edgedp.conf");
        }
        short version = prefix.getShort();
        if (version != PROTOCOL_VERSION) {
            throw new EdgeDPException("the worker's protocol is of version " + version + ", must be " + PROTOCOL_VERSION
                    + "; install the plugin and the Python package of one version (edgedp plugin install)");
        }
        int textLength = prefix.getInt();
        long bodyLength = prefix.getLong();
        if (textLength < 0 || bodyLength < 0 || textLength + bodyLength > Math.min(limit, Integer.MAX_VALUE)) {
            throw new EdgeDPException("the worker's answer is beyond the limit of " + limit
                    + " bytes; raise worker.frame.limit in conf/edgedp.conf");
        }
        ObjectNode header = (ObjectNode) JSON.readTree(exactly(stream, textLength));
        ByteBuffer body = ByteBuffer.wrap(exactly(stream, (int) bodyLength)).order(ByteOrder.LITTLE_ENDIAN);
        Map<String, Object> arrays = new LinkedHashMap<>();
        int offset = 0;
        for (JsonNode entry : header.path("arrays")) {
            int size = entry.get("bytes").intValue();
            ByteBuffer payload = body.slice(offset, size).order(ByteOrder.LITTLE_ENDIAN);
            arrays.put(
                    entry.get("name").textValue(),
                    Payload.decode(entry.get("type").textValue(), entry.get("length").intValue(), payload));
            offset += size + Payload.padding(size);
        }
        header.remove("arrays");
        return new Frame(header, arrays);
    }

    /** Return rows of the database as JSON; what JSON lacks becomes the name of its type. */
    static JsonNode toJson(Object value) {
        if (value instanceof Map<?, ?> map) {
            ObjectNode object = JSON.createObjectNode();
            map.forEach((key, inner) -> object.set(String.valueOf(key), toJson(inner)));
            return object;
        }
        if (value instanceof List<?> list) {
            ArrayNode array = JSON.createArrayNode();
            list.forEach(inner -> array.add(toJson(inner)));
            return array;
        }
        String moment = momentOf(value);
        if (moment != null) return JSON.createObjectNode().put("date", moment);
        boolean plain = value == null || value instanceof Number || value instanceof Boolean || value instanceof String;
        return JSON.valueToTree(plain ? value : "<" + value.getClass().getSimpleName() + ">");
    }

    /** Return a date or a time as ISO 8601 writes it, as conditions take one; null of anything else. */
    static String momentOf(Object value) {
        if (value instanceof LocalDate || value instanceof LocalDateTime) return value.toString();
        if (value instanceof ZonedDateTime zoned) return zoned.toInstant().toString();
        return value instanceof OffsetDateTime offset ? offset.toInstant().toString() : null;
    }

    /** Return a value of JSON as Cypher has it: an integer beyond 64 bits is a float, nothing is null. */
    static Object toCypher(JsonNode json) {
        if (json.isObject()) {
            Map<String, Object> map = new LinkedHashMap<>();
            json.properties().forEach(entry -> map.put(entry.getKey(), toCypher(entry.getValue())));
            return map;
        }
        if (json.isArray()) {
            List<Object> list = new ArrayList<>();
            json.forEach(each -> list.add(toCypher(each)));
            return list;
        }
        if (json.isNumber()) {
            return json.isIntegralNumber() && json.canConvertToLong() ? (Object) json.longValue() : json.doubleValue();
        }
        return json.isBoolean() ? (Object) json.booleanValue() : json.textValue();
    }

    /** Return a row's body, which this project wrote as a JSON object, as Cypher has it. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> fromBody(String text) {
        try {
            return (Map<String, Object>) toCypher(BODIES.readTree(text));
        } catch (JsonProcessingException error) {
            throw new EdgeDPException("a row of the ledger does not hold JSON; the ledger was changed by other means");
        }
    }

    static ByteBuffer littleEndian(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] exactly(InputStream stream, int size) throws IOException {
        byte[] bytes = stream.readNBytes(size);
        if (bytes.length < size) {
            throw new EOFException();
        }
        return bytes;
    }
}
