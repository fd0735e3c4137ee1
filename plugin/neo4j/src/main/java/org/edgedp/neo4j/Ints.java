package org.edgedp.neo4j;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Integers that grow by pieces: what is full is never copied, and goes to the worker as it is. */
final class Ints {
    static final int PIECE = 1 << 22;
    private static final int BEGINNING = 1 << 10;

    private final List<int[]> full = new ArrayList<>();
    private int[] last = new int[BEGINNING];
    private int used;

    void add(int value) {
        if (used == last.length) {
            grow();
        }
        last[used++] = value;
    }

    int length() {
        return Math.addExact(Math.multiplyExact(full.size(), PIECE), used);
    }

    /** The integers in their order: pieces of {@link #PIECE}, then what is left, which may be nothing. */
    List<int[]> pieces() {
        List<int[]> pieces = new ArrayList<>(full);
        pieces.add(Arrays.copyOf(last, used));
        return pieces;
    }

    private void grow() {
        if (used < PIECE) {
            last = Arrays.copyOf(last, 2 * used);
        } else {
            full.add(last);
            last = new int[BEGINNING];
            used = 0;
        }
    }
}
