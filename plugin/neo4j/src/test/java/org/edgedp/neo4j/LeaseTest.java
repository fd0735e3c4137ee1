package org.edgedp.neo4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.TransactionTerminatedException;
import org.neo4j.kernel.api.exceptions.Status;
import org.neo4j.procedure.TerminationGuard;

/** Who waits for the end of a lease. */
class LeaseTest {
    private static final long LONG_SECONDS = 240;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch free = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    /** A database whose transactions begin when the test says so. */
    private GraphDatabaseService held() {
        return (GraphDatabaseService) Proxy.newProxyInstance(
                LeaseTest.class.getClassLoader(), new Class<?>[] {GraphDatabaseService.class}, (self, method, given) -> {
                    asked.countDown();
                    free.await(LONG_SECONDS, TimeUnit.SECONDS);
                    throw new IllegalStateException("there is no database");
                });
    }

    private static ObjectNode lease() {
        ObjectNode lease = Frame.JSON.createObjectNode().put("seconds", 3600);
        for (String each : new String[] {"end", "renew"}) {
            lease.putObject(each).put("done", "done").putArray("steps");
        }
        return lease;
    }

    private void close(TerminationGuard caller) {
        Duration limit = Duration.ofSeconds(LONG_SECONDS);
        Lease lease = new Lease(new InnerTransactions(held(), caller, limit, limit), lease());
        Thread closing = new Thread(() -> {
            lease.close();
            closed.countDown();
        });
        closing.setDaemon(true);
        closing.start();
    }

    @Test
    @SuppressWarnings("removal") // the constructor that both supported versions have
    void aCallerWhoWasEndedWaitsForNothing() throws InterruptedException {
        close(() -> {
            throw new TransactionTerminatedException(Status.Transaction.Terminated);
        });
        assertTrue(closed.await(LONG_SECONDS, TimeUnit.SECONDS), "the ledger is still held");
        assertTrue(asked.await(LONG_SECONDS, TimeUnit.SECONDS), "the lease ends all the same");
        free.countDown();
    }

    @Test
    void anyOtherWaitsSoThatWhoAsksAgainIsToldTheTruth() throws InterruptedException {
        close(() -> {});
        assertTrue(asked.await(LONG_SECONDS, TimeUnit.SECONDS));
        assertEquals(1, closed.getCount());
        free.countDown();
        assertTrue(closed.await(LONG_SECONDS, TimeUnit.SECONDS));
    }
}
