package org.edgedp.neo4j;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A piece of a graph in packed bytes; Python reads it with {@code edgedp.stores.neo4j.packed}. */
public final class Adjacency {
    private static final int PIECE = 1 << 22;
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

    private Adjacency(Nodes nodes, boolean first, Pairs.Piece piece) {
        idType = Payload.of(nodes.ids()).type();
        nodeCount = nodes.count();
        ids = first ? Payload.pack(nodes.ids()) : NOTHING;
        sources = Payload.pack(piece.sources());
        targets = Payload.pack(piece.targets());
    }

    /** Read a graph; its pieces stay in the server's memory until the caller has taken them. */
    static Stream<Adjacency> pieces(Call call, GraphEntry graph) {
        Nodes nodes = call.nodes(graph, Reading.byIds(graph, null) ? Memory.BY_ID : 0);
        List<Pairs.Piece> pieces = new ArrayList<>();
        Pairs pairs = new Pairs(PIECE, graph.weighted(), piece -> {
            call.memory().take(8L * 2 * piece.sources().length); // as numbers, then as bytes
            pieces.add(piece);
        });
        call.read(graph, nodes, null, pairs, call.told(graph));
        return IntStream.range(0, pieces.size())
                .mapToObj(piece -> new Adjacency(nodes, piece == 0, pieces.set(piece, null)))
                .onClose(call.memory()::close);
    }
}
