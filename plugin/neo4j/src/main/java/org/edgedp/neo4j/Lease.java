package org.edgedp.neo4j;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Says in the ledger, now and then, that a debited release is still being drawn. */
final class Lease implements AutoCloseable {
    private static final ScheduledExecutorService RENEWALS = Watch.clock("edgedp-leases");

    private final BooleanSupplier callerEnded;
    private final InnerTransactions inner; // which outlive the caller: the lease is ended then too
    private final Script end;
    private final Future<?> renewal;
    private final ReentrantLock renewing = new ReentrantLock();
    private boolean answered;

    Lease(InnerTransactions inner, JsonNode lease) {
        this.callerEnded = inner::callerEnded;
        this.inner = inner.afterTheCaller();
        this.end = Script.of(lease.get("end"));
        Script renew = Script.of(lease.get("renew"));
        long seconds = lease.get("seconds").longValue();
        this.renewal = RENEWALS.scheduleWithFixedDelay(() -> beside(renew), seconds, seconds, SECONDS);
    }

    /** The answer is kept, and its script has ended the lease. */
    void answered() {
        answered = true;
    }

    @Override
    public void close() {
        renewal.cancel(false);
        if (answered) return;
        if (callerEnded.getAsBoolean()) {
            RENEWALS.execute(() -> beside(end)); // one who was ended waits for nothing
        } else {
            beside(end);
        }
    }

    /** Whoever asks again is told a little too early that a release is lost, if this fails: nothing worse. */
    private void beside(Script script) {
        if (!renewing.tryLock()) {
            return;
        }
        try {
            inner.run(script);
        } catch (RuntimeException failed) {
            // the ledger says itself what became of the release
        } finally {
            renewing.unlock();
        }
    }
}
