package org.edgedp.neo4j;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;

/**
 * Ends an inner transaction when its caller has ended, or when it has waited too long for a lock.
 *
 * <p>Neo4j ends neither: an inner transaction knows no caller, and it waits for ever for a lock that the caller holds.
 * Close the watch before its transaction: a transaction that is closed may be somebody else's by the next moment.
 */
final class Watch implements AutoCloseable {
    private static final long EVERY_MILLISECONDS = 100;
    private static final ScheduledExecutorService CLOCK = clock("edgedp-watch");

    private final Transaction transaction;
    private final TerminationGuard caller;
    private final Duration lockLimit;
    private final Future<?> looks;
    private boolean closed;
    private boolean waitedTooLong;

    /** Watch over a transaction from now on. */
    Watch(Transaction transaction, TerminationGuard caller, Duration lockLimit) {
        this.transaction = transaction;
        this.caller = caller;
        this.lockLimit = lockLimit;
        this.looks = CLOCK.scheduleWithFixedDelay(this::look, EVERY_MILLISECONDS, EVERY_MILLISECONDS, MILLISECONDS);
    }

    /** Run a statement that may wait for a lock. */
    <T> T waitingFor(Supplier<T> statement) {
        Future<?> end = CLOCK.schedule(this::endWait, lockLimit.toMillis(), MILLISECONDS);
        try {
            return statement.get();
        } finally {
            end.cancel(false);
        }
    }

    /** Whether the lock was not free in time. */
    synchronized boolean waitedTooLong() {
        return waitedTooLong;
    }

    @Override
    public synchronized void close() {
        closed = true;
        looks.cancel(false);
    }

    /** A clock of its own for what may take its time; this one must not be kept waiting. */
    static ScheduledExecutorService clock(String name) {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    private void look() {
        try {
            caller.check();
        } catch (RuntimeException ended) {
            end();
        }
    }

    private synchronized void endWait() {
        waitedTooLong = !closed;
        end();
    }

    private synchronized void end() {
        if (!closed) {
            transaction.terminate();
        }
    }
}
