package org.edgedp.neo4j;

import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A piece of a graph in packed bytes; Python reads it with {@code edgedp.stores.packed}. */
public final class Adjacency {
    private static final int RELATIONSHIPS_A_PIECE = 1 << 22;
    private static final byte[] NOTHING = {};

    /** {@code int64} or {@code text}. */
    public final String idType;
    /** Number of nodes. */
    public final long nodeCount;
    /** In the first row, the ids of all nodes, packed as in a worker's frame; empty in the others. */
    public final byte[] ids;
    /** Rows (int32) of the starts of this piece's relationships. */
    public final byte[] sources;
    /** Rows (int32) of their ends. */
    public final byte[] targets;

    private Adjacency(Projection projection, int piece) {
        int from = piece * RELATIONSHIPS_A_PIECE;
        int to = Math.min(projection.sources().length, from + RELATIONSHIPS_A_PIECE);
        idType = Payload.of(projection.ids()).type();
        nodeCount = projection.nodeCount();
        ids = piece == 0 ? Payload.pack(projection.ids()) : NOTHING;
        sources = Payload.pack(Arrays.copyOfRange(projection.sources(), from, to));
        targets = Payload.pack(Arrays.copyOfRange(projection.targets(), from, to));
    }

    static Stream<Adjacency> pieces(Projection projection) {
        int last = Math.max(projection.sources().length - 1, 0) / RELATIONSHIPS_A_PIECE;
        return IntStream.rangeClosed(0, last).mapToObj(piece -> new Adjacency(projection, piece));
    }
}
