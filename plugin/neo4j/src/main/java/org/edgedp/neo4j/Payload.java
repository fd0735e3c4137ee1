package org.edgedp.neo4j;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * The bytes of one array in a frame's body, written in pieces so that a large array is not copied whole.
 *
 * @param type the protocol's name of the element type
 * @param length number of elements
 * @param size number of bytes, padding excluded
 * @param array {@code int[]}, {@link Ints}, {@code long[]}, {@code double[]}, or the packed {@code byte[]} of texts
 */
record Payload(String type, int length, long size, Object array) {
    private static final int PIECE = 1 << 17; // elements

    static Payload of(Object array) {
        if (array instanceof int[] ints) {
            return new Payload("int32", ints.length, 4L * ints.length, ints);
        }
        if (array instanceof Ints pieces) {
            return new Payload("int32", pieces.length(), 4L * pieces.length(), pieces);
        }
        if (array instanceof long[] longs) {
            return new Payload("int64", longs.length, 8L * longs.length, longs);
        }
        if (array instanceof double[] doubles) {
            return new Payload("float64", doubles.length, 8L * doubles.length, doubles);
        }
        String[] texts = (String[]) array;
        byte[] packed = packTexts(texts);
        return new Payload("text", texts.length, packed.length, packed);
    }

    long paddedSize() {
        return size + padding(size);
    }

    static int padding(long size) {
        return (int) (-size & 7);
    }

    void write(OutputStream stream) throws IOException {
        if (array instanceof byte[] bytes) {
            stream.write(bytes);
        } else if (array instanceof Ints ints) {
            for (int[] piece : ints.pieces()) {
                of(piece).writeNumbers(stream);
            }
        } else {
            writeNumbers(stream);
        }
        stream.write(new byte[padding(size)]);
    }

    private void writeNumbers(OutputStream stream) throws IOException {
        int width = (int) (size / Math.max(length, 1));
        ByteBuffer buffer = Frame.littleEndian(Math.min(length, PIECE) * width);
        for (int from = 0; from < length; from += PIECE) {
            int count = Math.min(PIECE, length - from);
            put(buffer.clear(), from, count);
            stream.write(buffer.array(), 0, count * width);
        }
    }

    private void put(ByteBuffer buffer, int from, int count) {
        if (array instanceof int[] ints) {
            buffer.asIntBuffer().put(ints, from, count);
        } else if (array instanceof long[] longs) {
            buffer.asLongBuffer().put(longs, from, count);
        } else {
            buffer.asDoubleBuffer().put((double[]) array, from, count);
        }
    }

    static Object decode(String type, int length, ByteBuffer payload) {
        switch (type) {
            case "int32": {
                int[] ints = new int[length];
                payload.asIntBuffer().get(ints);
                return ints;
            }
            case "int64": {
                long[] longs = new long[length];
                payload.asLongBuffer().get(longs);
                return longs;
            }
            case "float64": {
                double[] doubles = new double[length];
                payload.asDoubleBuffer().get(doubles);
                return doubles;
            }
            case "text":
                return unpackTexts(length, payload);
            default:
                throw new EdgeDPException("the worker sent an array of type " + type + ", must be of the protocol's");
        }
    }

    /** Return a number array as little-endian bytes, or texts packed. */
    static byte[] pack(Object array) {
        if (array instanceof String[] texts) {
            return packTexts(texts);
        }
        Payload payload = of(array);
        ByteBuffer buffer = Frame.littleEndian(Math.toIntExact(payload.size));
        payload.put(buffer, 0, payload.length);
        return buffer.array();
    }

    /** The ends of the texts, in code points of the joined text, then the joined text in UTF-8. */
    private static byte[] packTexts(String[] texts) {
        byte[] joined = String.join("", texts).getBytes(UTF_8);
        ByteBuffer buffer = Frame.littleEndian(Math.addExact(8 * texts.length, joined.length));
        long end = 0;
        for (String text : texts) {
            end += text.codePointCount(0, text.length());
            buffer.putLong(end);
        }
        return buffer.put(joined).array();
    }

    private static String[] unpackTexts(int length, ByteBuffer payload) {
        long[] ends = new long[length];
        payload.asLongBuffer().get(ends);
        String joined = UTF_8.decode(payload.slice(8 * length, payload.capacity() - 8 * length)).toString();
        String[] texts = new String[length];
        int from = 0;
        long passed = 0;
        for (int row = 0; row < length; row++) {
            int to = joined.offsetByCodePoints(from, (int) (ends[row] - passed));
            texts[row] = joined.substring(from, to);
            from = to;
            passed = ends[row];
        }
        return texts;
    }
}
