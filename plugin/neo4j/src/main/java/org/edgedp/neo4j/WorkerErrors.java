package org.edgedp.neo4j;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.neo4j.logging.Log;

/**
 * What a worker prints. Read to the end, so that it never waits for a reader.
 *
 * <p>Until the first graph is sent it cannot hold a private value and is kept to explain a failed start. From then on
 * only the type and the place of an error reach the log.
 */
final class WorkerErrors {
    private static final int KEPT_LINES = 3;
    private static final Pattern REPORT =
            Pattern.compile("edgedp-worker: \\w+ at [\\w/.]+:\\d+|Fatal Python error: [A-Za-z ]+");

    private final Process process;
    private final Log log;
    private final Deque<String> startup = new ArrayDeque<>();
    private final CountDownLatch drained = new CountDownLatch(1);
    private volatile boolean silent;

    WorkerErrors(Process process, Log log) {
        this.process = process;
        this.log = log;
    }

    void mayHoldValuesFromNow() {
        silent = true;
    }

    void drain() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getErrorStream(), UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (silent) {
                    Matcher report = REPORT.matcher(line);
                    if (report.lookingAt()) {
                        log.error("edgedp worker %d: %s", process.pid(), report.group());
                    }
                } else {
                    keep(line.strip());
                }
            }
        } catch (IOException closed) {
            // The process is gone, and so is what it printed.
        } finally {
            drained.countDown();
        }
    }

    /** Say how the process ended, and what it said while it could not hold a value yet. */
    String lastWords() {
        StringBuilder words = new StringBuilder();
        try {
            if (process.waitFor(1, TimeUnit.SECONDS)) {
                words.append(" (exit status ").append(process.exitValue()).append(')');
                drained.await(1, TimeUnit.SECONDS); // its last line may still be in the pipe
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        synchronized (startup) {
            if (!silent && !startup.isEmpty()) {
                words.append(": ").append(String.join(" ", startup));
            }
        }
        return words.toString();
    }

    private void keep(String line) {
        synchronized (startup) {
            startup.addLast(line);
            if (startup.size() > KEPT_LINES) {
                startup.removeFirst();
            }
        }
    }
}
