package org.edgedp.neo4j;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A piece of a graph in packed bytes; Python reads it with {@code edgedp.stores.neo4j.packed}. */
public final class Adjacency {
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

    private Adjacency(Projection projection, int piece, int[] starts, int[] ends) {
        idType = Payload.of(projection.ids()).type();
        nodeCount = projection.nodeCount();
        ids = piece == 0 ? Payload.pack(projection.ids()) : NOTHING;
        sources = Payload.pack(starts);
        targets = Payload.pack(ends);
    }

    static Stream<Adjacency> pieces(Projection projection) {
        List<int[]> starts = projection.sources().pieces();
        List<int[]> ends = projection.targets().pieces();
        return IntStream.range(0, starts.size())
                .mapToObj(piece -> new Adjacency(projection, piece, starts.get(piece), ends.get(piece)));
    }
}
