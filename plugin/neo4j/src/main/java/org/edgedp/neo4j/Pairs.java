package org.edgedp.neo4j;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;

/** Pairs of rows that are handed on in pieces while they are read: of a graph of any size a few pieces are in memory. */
final class Pairs {
    /** Pairs of one piece: more than a pipe holds, so that a reading waits for a worker that does not read. */
    static final int PIECE = 1 << 15;

    /**
     * Some pairs.
     *
     * @param sources row of each relationship's start
     * @param targets row of each relationship's end
     */
    record Piece(int[] sources, int[] targets) {
        /** The arrays as the worker takes them. */
        Map<String, Object> arrays() {
            return Map.of("sources", sources, "targets", targets);
        }
    }

    private final int size;
    private final Consumer<Piece> taker;
    private int[] sources;
    private int[] targets;
    private int used;

    Pairs(int size, Consumer<Piece> taker) {
        this.size = size;
        this.taker = taker;
        begin();
    }

    void add(int source, int target) {
        if (used == sources.length) {
            if (used < size) {
                sources = Arrays.copyOf(sources, Math.min(size, 8 * used));
                targets = Arrays.copyOf(targets, Math.min(size, 8 * used));
            } else {
                end();
            }
        }
        sources[used] = source;
        targets[used++] = target;
    }

    /** Hand on what is left, which may be nothing. */
    void end() {
        taker.accept(new Piece(Arrays.copyOf(sources, used), Arrays.copyOf(targets, used)));
        begin();
    }

    private void begin() {
        sources = new int[Math.min(size, 1 << 12)];
        targets = new int[Math.min(size, 1 << 12)];
        used = 0;
    }
}
