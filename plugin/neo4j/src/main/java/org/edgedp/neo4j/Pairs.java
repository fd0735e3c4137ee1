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
     * @param weights what each relationship weighs, NaN for nothing; null of a graph without weights
     */
    record Piece(int[] sources, int[] targets, double[] weights) {
        /** The arrays as the worker takes them. */
        Map<String, Object> arrays() {
            return weights == null
                    ? Map.of("sources", sources, "targets", targets)
                    : Map.of("sources", sources, "targets", targets, "weights", weights);
        }
    }

    private final int size;
    private final Consumer<Piece> taker;
    private int[] sources;
    private final boolean weighted;
    private int[] targets;
    private double[] weights;
    private int used;

    Pairs(int size, boolean weighted, Consumer<Piece> taker) {
        this.size = size;
        this.weighted = weighted;
        this.taker = taker;
        begin();
    }

    void add(int source, int target) {
        add(source, target, Double.NaN);
    }

    void add(int source, int target, double weight) {
        if (used == sources.length) {
            if (used < size) {
                sources = Arrays.copyOf(sources, Math.min(size, 8 * used));
                targets = Arrays.copyOf(targets, Math.min(size, 8 * used));
                weights = weighted ? Arrays.copyOf(weights, Math.min(size, 8 * used)) : null;
            } else {
                end();
            }
        }
        sources[used] = source;
        if (weighted) {
            weights[used] = weight;
        }
        targets[used++] = target;
    }

    /** Hand on what is left, which may be nothing. */
    void end() {
        double[] weighed = weighted ? Arrays.copyOf(weights, used) : null;
        taker.accept(new Piece(Arrays.copyOf(sources, used), Arrays.copyOf(targets, used), weighed));
        begin();
    }

    private void begin() {
        sources = new int[Math.min(size, 1 << 12)];
        targets = new int[Math.min(size, 1 << 12)];
        weights = weighted ? new double[Math.min(size, 1 << 12)] : null;
        used = 0;
    }
}
