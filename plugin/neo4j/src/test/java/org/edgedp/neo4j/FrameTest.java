package org.edgedp.neo4j;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The frames that Python's end reads and writes too. */
class FrameTest {
    private static final long LIMIT = 10_000;

    static Stream<JsonNode> cases() throws IOException {
        Path file = Path.of("..", "..", "tests", "conformance", "frames.json");
        return StreamSupport.stream(Frame.JSON.readTree(file.toFile()).spliterator(), false);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void readsWhatPythonWrites(JsonNode expected) throws IOException {
        Frame frame = Frame.read(new ByteArrayInputStream(bytes(expected)), LIMIT);
        assertEquals(expected.get("header"), frame.header());
        assertEquals(expected.get("arrays"), Frame.JSON.valueToTree(frame.arrays()));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void writesABodyThatPythonWrites(JsonNode expected) throws IOException {
        byte[] whole = bytes(expected);
        Frame frame = Frame.read(new ByteArrayInputStream(whole), LIMIT);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        frame.written(LIMIT).to(written);
        assertArrayEquals(body(whole), body(written.toByteArray()));
        Frame again = Frame.read(new ByteArrayInputStream(written.toByteArray()), LIMIT);
        assertEquals(expected.get("header"), again.header());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void refusesFramesThatAreCutOrTooLong(JsonNode expected) throws IOException {
        byte[] whole = bytes(expected);
        Frame frame = Frame.read(new ByteArrayInputStream(whole), LIMIT);
        for (int length : List.of(0, 19, whole.length - 1)) {
            assertThrows(EOFException.class, () -> Frame.read(new ByteArrayInputStream(whole, 0, length), LIMIT));
        }
        assertThrows(EdgeDPException.class, () -> Frame.read(new ByteArrayInputStream(whole), whole.length - 21));
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        assertThrows(EdgeDPException.class, () -> frame.written(whole.length - 21).to(written));
        assertEquals(0, written.size());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void configurationSurvivesTheWayToJson(JsonNode expected) throws IOException {
        Map<?, ?> header = Frame.JSON.convertValue(expected.get("header"), Map.class);
        assertEquals(expected.get("header"), Frame.toJson(header));
    }

    /** The header may be spelt in several ways, for JSON allows escapes; the body may not. */
    private static byte[] body(byte[] frame) {
        int header = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).getInt(8);
        return Arrays.copyOfRange(frame, 20 + header, frame.length);
    }

    private static byte[] bytes(JsonNode expected) {
        return HexFormat.of().parseHex(expected.get("bytes").textValue());
    }
}
