package org.edgedp.neo4j;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.neo4j.logging.Log;
import org.neo4j.procedure.TerminationGuard;

/**
 * One Python process that computes for the procedures, one job at a time.
 *
 * <p>Pipes are written and read on a thread of the worker's own, so that a limit fires although the pipe is full. A
 * worker that failed in any way is killed, never asked again.
 */
final class Worker {
    private static final long POLL_MILLISECONDS = 100;

    private final Settings settings;
    private final Process process;
    private final ExecutorService pipes;
    private final WorkerErrors errors;
    private Future<Void> sent; // what is being written ahead of a request

    private Worker(Settings settings, Process process, Log log) {
        this.settings = settings;
        this.process = process;
        String name = "edgedp-worker-" + process.pid();
        this.pipes = Executors.newSingleThreadExecutor(task -> daemon(task, name));
        this.errors = new WorkerErrors(process, log);
        daemon(errors::drain, name + "-stderr").start();
    }

    /** Start a worker and wait for its first word. */
    static Worker start(Settings settings, TerminationGuard guard, Log log) {
        Worker worker = new Worker(settings, launch(settings), log);
        try {
            JsonNode hello = worker.await(worker.pipes.submit(worker::readFrame), settings.startLimit(), guard).header();
            String version = hello.path("version").asText();
            if (!version.equals(Version.CURRENT)) {
                throw new EdgeDPException("the worker is edgedp " + version + ", must be " + Version.CURRENT
                        + " as the plugin; install both of one version (edgedp plugin install)");
            }
            worker.errors.mayHoldValuesFromNow();
            return worker;
        } catch (RuntimeException error) {
            worker.kill();
            throw error;
        }
    }

    /** The process ended before it had read the whole request: it began nothing, and another may be asked. */
    static final class Gone extends EdgeDPException {
        private static final long serialVersionUID = 1L;

        Gone(String message) {
            super(message);
        }
    }

    /** Send what goes before a request, while more of it is read: the one before must be written by now. */
    void send(Frame.Written part, TerminationGuard guard) {
        waitUntilSent(guard);
        sent = pipes.submit(() -> {
            write(part);
            return null;
        });
    }

    private void waitUntilSent(TerminationGuard guard) {
        if (sent != null) {
            await(sent, settings.jobLimit(), guard);
            sent = null;
        }
    }

    /** Send a request and return the worker's reply: an answer or a refusal. */
    Frame ask(Frame.Written request, TerminationGuard guard, Log log) {
        waitUntilSent(guard);
        Frame reply = await(
                pipes.submit(() -> {
                    write(request);
                    return readFrame();
                }),
                settings.jobLimit(),
                guard);
        JsonNode failure = reply.header().get("failure");
        if (failure != null) {
            String type = failure.path("type").asText();
            log.error("edgedp worker %d: %s at %s", pid(), type, failure.path("place").asText());
            throw new EdgeDPException("the edgedp worker failed with " + type + "; its place is in Neo4j's log");
        }
        return reply;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** End the process, whatever it is doing; may be called twice. */
    void kill() {
        process.destroyForcibly();
        pipes.shutdownNow();
    }

    private static Process launch(Settings settings) {
        ProcessBuilder builder = new ProcessBuilder(List.of(
                settings.python(),
                "-P", // the directory that the server was started in is not a place for modules
                "-m",
                "edgedp.worker",
                "--frame-limit=" + settings.frameLimit(),
                "--memory-limit=" + settings.memoryLimit()));
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("NEO4J")); // passwords live there
        environment.putIfAbsent("EDGEDP_CACHE", settings.cache().toString());
        try {
            Files.createDirectories(settings.cache());
            return builder.start();
        } catch (IOException error) {
            throw new EdgeDPException("worker.python is " + settings.python()
                    + ", must be a Python interpreter that can be started, with a writable worker.cache, "
                    + settings.cache() + "; set both in conf/edgedp.conf (edgedp plugin install)");
        }
    }

    private void write(Frame.Written request) {
        try {
            request.to(process.getOutputStream());
        } catch (IOException error) {
            throw new Gone("the edgedp worker ended before it answered" + errors.lastWords());
        }
    }

    private Frame readFrame() throws IOException {
        return Frame.read(process.getInputStream(), settings.frameLimit());
    }

    /** Wait for the pipes, watching the clock and whether the caller's query was terminated. */
    private <T> T await(Future<T> exchange, Duration limit, TerminationGuard guard) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            try {
                return exchange.get(POLL_MILLISECONDS, MILLISECONDS);
            } catch (TimeoutException stillBusy) {
                guard.check();
                if (System.nanoTime() > deadline) {
                    throw new EdgeDPException("the edgedp worker did not answer within " + limit.toSeconds() + " s"
                            + "; raise its limit in conf/edgedp.conf, or look at the load of the machine");
                }
            } catch (ExecutionException error) {
                if (error.getCause() instanceof EdgeDPException refusal) {
                    throw refusal;
                }
                throw new EdgeDPException("the edgedp worker ended before it answered" + errors.lastWords());
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
                throw new EdgeDPException("the call was interrupted");
            }
        }
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
