package org.edgedp.neo4j;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.neo4j.logging.Log;
import org.neo4j.procedure.TerminationGuard;

/**
 * A few warm workers, one job each; callers wait for a free one outside the time limit of their job.
 *
 * <p>There is one pool a server, made at the first call and again when {@code conf/edgedp.conf} has changed.
 */
final class WorkerPool {
    private static WorkerPool current;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(WorkerPool::closeCurrent, "edgedp-shutdown"));
    }

    private final Settings settings;
    private final Semaphore slots;
    private final Deque<Worker> idle = new ConcurrentLinkedDeque<>();
    private final Set<Worker> alive = ConcurrentHashMap.newKeySet();
    private volatile boolean retired;

    private WorkerPool(Settings settings) {
        this.settings = settings;
        this.slots = new Semaphore(settings.workers(), true);
    }

    /** Return the pool of the present settings; the jobs of an older one end in peace. */
    static synchronized WorkerPool current() {
        Settings settings = Settings.read(Home.find());
        if (current == null || !current.settings.equals(settings)) {
            if (current != null) {
                current.retire();
            }
            current = new WorkerPool(settings);
        }
        return current;
    }

    /** End every worker; the next call, if there is one, starts afresh. */
    static synchronized void closeCurrent() {
        if (current != null) {
            current.retire();
            current.alive.forEach(Worker::kill);
            current = null;
        }
    }

    /** Start a worker if there is none, so that the first call finds it waiting. */
    void warm(Log log) {
        if (!alive.isEmpty() || !slots.tryAcquire()) return;
        try {
            idle.addFirst(begin(() -> {}, log));
        } finally {
            slots.release();
            if (retired) {
                retire();
            }
        }
    }

    Settings settings() {
        return settings;
    }

    /** Reads a graph's relationships and hands them on, from the beginning each time that it is asked to. */
    interface Feed {
        /** No relationship. */
        Feed NOTHING = taker -> {};

        void to(Consumer<Pairs.Piece> taker);
    }

    /** Return the worker's answer to a request; its refusal, or its loss, is thrown as one sentence. */
    Frame ask(Frame request, TerminationGuard guard, Log log) {
        return ask(request, Feed.NOTHING, guard, log);
    }

    /** As the other, of a request about relationships, which the worker takes while they are read. */
    Frame ask(Frame request, Feed feed, TerminationGuard guard, Log log) {
        return ask(request, feed, guard, log, asked -> {
            throw new EdgeDPException("the worker asked for a debit or for titles where none are due; report this");
        });
    }

    /**
     * As the other, of a job that asks for further debits while it draws, and for titles when it has drawn.
     *
     * @param answering answers the header of what it asks
     */
    Frame ask(
            Frame request, Feed feed, TerminationGuard guard, Log log, Function<JsonNode, ObjectNode> answering) {
        Frame.Written written = request.written(settings.frameLimit()); // refused before a worker is taken
        Frame reply = exchange(written, feed, guard, log, answering);
        JsonNode refusal = reply.header().get("refusal");
        if (refusal != null) {
            throw new ConstantException(refusal.textValue());
        }
        return new Frame(reply.header().withObject("/answer"), reply.arrays());
    }

    private Frame exchange(
            Frame.Written request,
            Feed feed,
            TerminationGuard guard,
            Log log,
            Function<JsonNode, ObjectNode> answering) {
        waitForSlot(guard);
        try {
            while (true) {
                Worker waited = fromIdle();
                Worker worker = waited != null ? waited : begin(guard, log);
                try {
                    feed.to(sending(worker, request.length(), guard));
                    Frame reply = worker.ask(request, guard, log);
                    while (reply.header().has("pay") || reply.header().has("titles")) {
                        reply = goOn(worker, answering.apply(reply.header()), guard, log);
                    }
                    idle.addFirst(worker);
                    return reply;
                } catch (Worker.Gone gone) {
                    discard(worker);
                    if (waited == null) {
                        throw gone;
                    }
                } catch (RuntimeException | Error lost) {
                    discard(worker);
                    throw lost;
                } finally {
                    if (retired) {
                        retire();
                    }
                }
            }
        } finally {
            slots.release();
        }
    }

    /** Send pieces as they come, until together with the request they are beyond the limit. */
    private Consumer<Pairs.Piece> sending(Worker worker, long request, TerminationGuard guard) {
        AtomicLong whole = new AtomicLong(request);
        return piece -> {
            Frame.Written written = new Frame(Frame.request("pairs"), piece.arrays()).written(settings.frameLimit());
            if (whole.addAndGet(written.bodyLength()) > settings.frameLimit()) {
                throw Frame.tooLong(settings.frameLimit());
            }
            worker.send(written, guard);
        };
    }

    /** Tell a worker what it asked for; one that is gone now has begun, and no other takes its place. */
    private Frame goOn(Worker worker, ObjectNode answer, TerminationGuard guard, Log log) {
        Frame told = new Frame(answer);
        try {
            return worker.ask(told.written(settings.frameLimit()), guard, log);
        } catch (Worker.Gone gone) {
            throw new EdgeDPException(gone.getMessage());
        }
    }

    private void waitForSlot(TerminationGuard guard) {
        try {
            while (!slots.tryAcquire(100, MILLISECONDS)) {
                guard.check();
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new EdgeDPException("the call was interrupted while it waited for a worker; ask again");
        }
    }

    /** Return a worker that waits for work, or null; one that ended unseen may still seem alive. */
    private Worker fromIdle() {
        for (Worker worker = idle.pollFirst(); worker != null; worker = idle.pollFirst()) {
            if (worker.isAlive()) {
                return worker;
            }
            discard(worker);
        }
        return null;
    }

    private Worker begin(TerminationGuard guard, Log log) {
        Worker worker = Worker.start(settings, guard, log);
        alive.add(worker);
        return worker;
    }

    private void discard(Worker worker) {
        worker.kill();
        alive.remove(worker);
    }

    private void retire() {
        retired = true;
        for (Worker worker = idle.pollFirst(); worker != null; worker = idle.pollFirst()) {
            discard(worker);
        }
    }
}
