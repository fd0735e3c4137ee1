package org.edgedp.neo4j;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a graph is gathered in while it is read. */
class ReadingTest {
    @Test
    void integersKeepTheirOrderOverPieces() throws IOException {
        for (int length : new int[] {0, 1, 1 << 10, (1 << 10) + 1, Ints.PIECE, Ints.PIECE + 3}) {
            Ints ints = new Ints();
            IntStream.range(0, length).forEach(ints::add);
            assertEquals(length, ints.length());
            int[] whole = IntStream.range(0, length).toArray();
            assertArrayEquals(
                    whole, ints.pieces().stream().flatMapToInt(IntStream::of).toArray());
            assertArrayEquals(written(whole), written(ints));
        }
    }

    @Test
    void pairsAreHandedOnInPiecesInTheirOrder() {
        for (int length : new int[] {0, 1, 4096, 4097, Pairs.PIECE, 3 * Pairs.PIECE + 5}) {
            List<Pairs.Piece> pieces = new ArrayList<>();
            Pairs pairs = new Pairs(Pairs.PIECE, false, pieces::add);
            IntStream.range(0, length).forEach(each -> pairs.add(each, -each));
            pairs.end();
            assertEquals(length / Pairs.PIECE + (length % Pairs.PIECE == 0 && length > 0 ? 0 : 1), pieces.size());
            int[] sources =
                    pieces.stream().flatMapToInt(piece -> IntStream.of(piece.sources())).toArray();
            int[] targets =
                    pieces.stream().flatMapToInt(piece -> IntStream.of(piece.targets())).toArray();
            assertArrayEquals(IntStream.range(0, length).toArray(), sources);
            assertArrayEquals(IntStream.range(0, length).map(each -> -each).toArray(), targets);
        }
    }

    private static byte[] written(Object array) throws IOException {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        Payload.of(array).write(stream);
        return stream.toByteArray();
    }

    @Test
    void rowsAreFoundWhereNumbersAreDenseAndWhereTheyAreNot() {
        for (long[] internalIds : new long[][] {{}, {7, 0, 3}, {7, 1L << 40, 3}, {5, Integer.MAX_VALUE}}) {
            RowsById rows = RowsById.of(internalIds);
            for (int row = 0; row < internalIds.length; row++) {
                assertEquals(row, rows.row(internalIds[row]));
            }
            for (long other : new long[] {1, 4, 100_000, (1L << 40) + 7, Long.MAX_VALUE}) {
                assertEquals(RowsById.OUTSIDE, rows.row(other));
            }
        }
    }

    @Test
    void idsAreOfOneType() {
        assertArrayEquals(new long[] {1, 2, 3, 4}, (long[]) typed(1L, 2, (short) 3, (byte) 4));
        assertArrayEquals(new String[] {"a", ""}, (String[]) typed("a", ""));
        assertArrayEquals(new long[] {}, (long[]) typed());
        assertNull(typed(1L, "a"));
        assertNull(typed(1L, null));
        assertNull(typed("a", 1.5));
    }

    private static Object typed(Object... values) {
        Ids ids = new Ids();
        for (Object value : values) {
            ids.add(value);
        }
        return ids.typed();
    }
}
