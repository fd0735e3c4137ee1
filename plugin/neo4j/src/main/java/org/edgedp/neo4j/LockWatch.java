package org.edgedp.neo4j;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.neo4j.graphdb.Transaction;

/** Ends a transaction that has waited too long for a lock; Neo4j itself waits for ever, and sees no deadlock here. */
final class LockWatch {
    private static final ScheduledExecutorService CLOCK = clock("edgedp-locks");

    private final Transaction transaction;
    private final Duration limit;
    private volatile boolean ended;

    LockWatch(Transaction transaction, Duration limit) {
        this.transaction = transaction;
        this.limit = limit;
    }

    /** Run a statement that may wait for a lock. */
    <T> T waitingFor(Supplier<T> statement) {
        Future<?> end = CLOCK.schedule(this::end, limit.toMillis(), MILLISECONDS);
        try {
            return statement.get();
        } finally {
            end.cancel(false);
        }
    }

    /** Whether the limit was met. */
    boolean ended() {
        return ended;
    }

    /** A clock of its own for what may take its time; this one must not be kept waiting. */
    static ScheduledExecutorService clock(String name) {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    private void end() {
        ended = true;
        transaction.terminate();
    }
}
