package org.edgedp.neo4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.neo4j.procedure.memory.HeapEstimator;
import org.neo4j.procedure.memory.ProcedureMemory;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;

/** What calls take of the heap, together. */
class MemoryTest {
    private static final long SHARE = Runtime.getRuntime().maxMemory() / 10 * 7;

    /** Neo4j's account of one call, without a limit. */
    private static class Unlimited implements ProcedureMemory, ProcedureMemoryTracker {
        private long held;

        @Override
        public ProcedureMemoryTracker newTracker() {
            return this;
        }

        @Override
        public HeapEstimator heapEstimator() {
            throw new UnsupportedOperationException();
        }

        @Override
        public HeapTrackingCollectionFactory collections() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void allocateHeap(long bytes) {
            held += bytes;
        }

        @Override
        public void releaseHeap(long bytes) {
            held -= bytes;
        }

        @Override
        public void close() {}
    }

    @Test
    void severalCallsShareTheHeapAlsoWhereNeo4jLimitsNothing() {
        Unlimited told = new Unlimited();
        Memory first = new Memory(told);
        Memory second = new Memory(told);
        first.take(SHARE / 2);
        second.take(SHARE / 4);
        assertThrows(EdgeDPException.class, () -> second.take(SHARE / 2));
        assertEquals(SHARE / 2 + SHARE / 4, told.held);
        assertNotNull(new Memory(told).refusalOf(SHARE / 2));
        first.close();
        first.close(); // once is enough
        assertEquals(SHARE / 4, told.held);
        assertNull(new Memory(told).refusalOf(SHARE / 2));
        second.take(SHARE / 2);
        second.close();
        assertEquals(0, told.held);
    }

    /** Neo4j's account of a call during whose taking something else happens. */
    private static ProcedureMemory meanwhile(Runnable something) {
        Unlimited unlimited = new Unlimited() {
            @Override
            public void allocateHeap(long bytes) {
                something.run();
                super.allocateHeap(bytes);
            }
        };
        return unlimited;
    }

    @Test
    void aCallSeesWhatAnotherOneIsTakingNow() {
        Memory second = new Memory(new Unlimited());
        Memory first = new Memory(
                meanwhile(() -> assertThrows(EdgeDPException.class, () -> second.take(SHARE / 4 * 3), "beside it")));
        first.take(SHARE / 4 * 3);
        first.close();
        second.take(SHARE / 4 * 3);
        second.close();
    }

    @Test
    void whatNeo4jRefusesIsHeldByNobody() {
        Memory refused = new Memory(meanwhile(() -> {
            throw new IllegalStateException();
        }));
        assertThrows(IllegalStateException.class, () -> refused.take(SHARE / 4 * 3));
        refused.close();
        Memory next = new Memory(new Unlimited());
        next.take(SHARE / 4 * 3);
        next.close();
    }

    @Test
    void aRefusalSaysHowMuchAndWhatToRaise() {
        EdgeDPException refused =
                assertThrows(EdgeDPException.class, () -> new Memory(new Unlimited()).take(SHARE + (1 << 20)));
        assertTrue(refused.getMessage().contains((SHARE >> 20) + 1 + " MiB"));
        assertTrue(refused.getMessage().contains("server.memory.heap.max_size"));
    }
}
