package org.edgedp.neo4j;

import java.util.concurrent.atomic.AtomicLong;
import org.neo4j.kernel.api.exceptions.Status;
import org.neo4j.procedure.memory.ProcedureMemory;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;

/**
 * What a call takes of the server's heap, told before it is taken: what does not fit is refused.
 *
 * <p>Neo4j compares it with the limits of a transaction and of all transactions together; here it is compared with a
 * share of the whole heap, too, which all calls have together, for those limits may be off.
 */
final class Memory {
    /** Pieces on their way to a worker, their buffer, and what a call takes whatever the graph. */
    static final long CALL = 16 << 20;

    /**
     * Bytes of a node while a graph is read: its id and internal id, and either the copies as they grow and its survey, or
     * its row, where the numbers of nodes are as sparse as an array of rows takes them. About 25 are held of dense ones.
     */
    static final long NODE = 64;

    /** The same, for each node whose id is a text, beside its characters: objects, and what is packed. */
    static final long TEXT = 112;

    /** What finding a row by its id adds. */
    static final long BY_ID = 96;

    /** What a node adds whose value is shown: its element id, and its row. */
    static final long SHOWN = 160;

    private static final AtomicLong HELD = new AtomicLong();

    private final ProcedureMemoryTracker tracker;
    private long held;

    Memory(ProcedureMemory provider) {
        tracker = provider.newTracker();
    }

    /** Tell that so many bytes are about to be taken; refuse if they are not there. */
    void take(long bytes) {
        long free = share() - HELD.getAndUpdate(taken -> bytes > share() - taken ? taken : taken + bytes);
        if (bytes > free) {
            throw new EdgeDPException(refusal(bytes));
        }
        try {
            tracker.allocateHeap(bytes);
        } catch (RuntimeException beyond) {
            HELD.addAndGet(-bytes);
            if (beyond instanceof Status.HasStatus told && told.status().code().serialize().contains("OutOfMemory")) {
                throw new EdgeDPException(refusal(bytes));
            }
            throw beyond;
        }
        held += bytes;
    }

    /** Give all of it back. */
    void close() {
        HELD.addAndGet(-held);
        tracker.releaseHeap(held);
        held = 0;
    }

    /** Bytes that a graph of so many nodes takes while it is read, whatever its relationships. */
    static long ofNodes(long nodes, boolean byIds) {
        return CALL + nodes * (NODE + (byIds ? BY_ID : 0));
    }

    /** Why so many bytes would be refused now; null where they are free. Nothing is kept. */
    String refusalOf(long bytes) {
        try {
            take(bytes);
            return null;
        } catch (EdgeDPException refused) {
            return refused.getMessage();
        } finally {
            close();
        }
    }

    private static String refusal(long bytes) {
        return "the call needs " + (bytes >> 20) + " MiB of the server's heap for the graph's nodes, which are not free; "
                + "ask again when other calls have ended, or raise server.memory.heap.max_size, "
                + "db.memory.transaction.max or dbms.memory.transaction.total.max in neo4j.conf";
    }

    private static long share() {
        return Runtime.getRuntime().maxMemory() / 10 * 7;
    }
}
