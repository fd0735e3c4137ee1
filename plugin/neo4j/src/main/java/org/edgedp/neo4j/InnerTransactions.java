package org.edgedp.neo4j;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import org.neo4j.graphdb.ConstraintViolationException;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.QueryExecutionException;
import org.neo4j.graphdb.Transaction;
import org.neo4j.graphdb.TransactionFailureException;
import org.neo4j.graphdb.TransactionTerminatedException;
import org.neo4j.graphdb.TransientTransactionFailureException;

/**
 * Transactions of the plugin's own, beside the caller's.
 *
 * <p>What is written here is committed before anything is shown: a caller who rolls back takes nothing back. What is
 * read here is what others committed: the caller's unfinished edits do not enter a release. Locks are waited for no
 * longer than a limit, for the caller's own transaction may hold them; what is done under a lock has another.
 */
final class InnerTransactions {
    private final GraphDatabaseService database;
    private final Duration lockLimit;
    private final Duration limit;

    InnerTransactions(GraphDatabaseService database, Duration lockLimit, Duration limit) {
        this.database = database;
        this.lockLimit = lockLimit;
        this.limit = limit;
    }

    /** Run a script, and commit if it is done. */
    Script.Outcome run(Script script) {
        return within((transaction, watch) -> {
            Script.Outcome outcome = script.run(transaction, watch);
            if (outcome.done()) {
                transaction.commit();
            }
            return outcome;
        });
    }

    /** Run one statement and commit. */
    void commit(String statement, Map<String, String> identifiers, Map<String, Object> parameters) {
        commit(transaction -> Statements.rows(transaction, statement, identifiers, parameters));
    }

    /** Run statements and commit; nothing of it stays if one of them fails. */
    <T> T commit(Function<Transaction, T> work) {
        return within((transaction, watch) -> {
            T result = work.apply(transaction);
            transaction.commit();
            return result;
        });
    }

    /** Read what others have committed. */
    <T> T read(Function<Transaction, T> work) {
        try (Transaction transaction = database.beginTx()) {
            return work.apply(transaction);
        }
    }

    /** Nobody can write to this database. */
    static final class ReadOnlyException extends EdgeDPException {
        private static final long serialVersionUID = 1L;

        ReadOnlyException() {
            super("the database is read-only, must be writable: a release is written to its ledger before it is drawn");
        }
    }

    private interface Work<T> {
        T apply(Transaction transaction, LockWatch watch);
    }

    private <T> T within(Work<T> work) {
        Duration whole = lockLimit.plus(limit);
        try (Transaction transaction = database.beginTx(whole.toMillis(), MILLISECONDS)) {
            LockWatch watch = new LockWatch(transaction, lockLimit);
            try {
                return work.apply(transaction, watch);
            } catch (ConstraintViolationException
                    | QueryExecutionException
                    | TransactionFailureException
                    | TransientTransactionFailureException error) {
                throw explained(error, watch);
            }
        }
    }

    private EdgeDPException explained(RuntimeException error, LockWatch watch) {
        if (watch.ended()) {
            return new EdgeDPException("the ledger was not free within " + lockLimit.toSeconds()
                    + " s, must be; end the transaction that holds it, or ask again");
        }
        String code = error instanceof QueryExecutionException query ? query.getStatusCode() : "";
        if (code.contains("ConstraintValidationFailed") || error instanceof ConstraintViolationException) {
            return new EdgeDPException("the name, the relationship type or the request identifier was taken by somebody "
                    + "else meanwhile; ask again");
        }
        if (code.contains("DeadlockDetected")) {
            return new EdgeDPException("the ledger was held by a transaction that waited for this one; ask again");
        }
        if (code.contains(".Transaction.")
                || error instanceof TransactionTerminatedException
                || error instanceof TransientTransactionFailureException) {
            return new EdgeDPException("the transaction on the ledger was ended, or took longer than "
                    + limit.toSeconds() + " s; ask again, or raise ledger.transaction.timeout in conf/edgedp.conf");
        }
        if (code.contains("ReadOnly")) {
            return new ReadOnlyException();
        }
        return new EdgeDPException("the ledger cannot be written (" + code
                + "), must be open to you; see to your rights and to the server's log");
    }
}
