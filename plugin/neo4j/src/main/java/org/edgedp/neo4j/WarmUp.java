package org.edgedp.neo4j;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;
import org.neo4j.logging.Log;

/**
 * Pays, when the server starts, what its first call would wait for: a worker, and the classes that plan statements.
 *
 * <p>It runs beside the start and reads and writes nothing. Whatever fails here is left to the first call, which says it.
 */
final class WarmUp {
    /** Statements of a registration and of a release: they are planned and not run. */
    static final List<String> PLANNED = List.of(
            "current_user",
            "schema_version",
            "schema_old",
            "graph_find",
            "graph_list",
            "graph_places",
            "account_find",
            "account_list",
            "account_places",
            "account_adds_up",
            "attribute_list",
            "log_last",
            "log_names",
            "request_find",
            "account_lock",
            "place_lock",
            "account_open",
            "account_at",
            "account_terms",
            "account_place",
            "account_unit",
            "account_debit",
            "log_append",
            "log_debit",
            "log_answer",
            "graph_put",
            "graph_current",
            "lease_put",
            "lease_end");

    private static final String SYSTEM = "system";
    private static final long A_LOOK_MILLISECONDS = 1_000;
    private static final int LOOKS = 600;

    private WarmUp() {}

    /** Begin beside whatever the server does meanwhile. */
    static void begin(DatabaseManagementService databases, Log log) {
        Thread thread = new Thread(() -> run(databases, log), "edgedp-warm-up");
        thread.setDaemon(true);
        thread.start();
    }

    private static void run(DatabaseManagementService databases, Log log) {
        try {
            WorkerPool pool = WorkerPool.current();
            if (!pool.settings().warm()) {
                return;
            }
            pool.warm(log);
            Optional<GraphDatabaseService> database = first(databases);
            if (database.isPresent()) {
                plan(database.get());
            }
        } catch (RuntimeException | LinkageError left) {
            log.info("edgedp was not warmed up, its first call takes longer: %s", left.getMessage());
        }
    }

    /** Wait for a database that can be asked. */
    private static Optional<GraphDatabaseService> first(DatabaseManagementService databases) {
        for (int look = 0; look < LOOKS; look++) {
            for (String name : databases.listDatabases()) {
                if (!name.equals(SYSTEM) && databases.database(name).isAvailable(A_LOOK_MILLISECONDS)) {
                    return Optional.of(databases.database(name));
                }
            }
            LockSupport.parkNanos(A_LOOK_MILLISECONDS * 1_000_000);
        }
        return Optional.empty();
    }

    private static void plan(GraphDatabaseService database) {
        for (String each : PLANNED) {
            try (Transaction transaction = database.beginTx()) {
                Statements.plan(transaction, each);
            }
        }
    }
}
