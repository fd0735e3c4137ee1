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
import org.neo4j.procedure.TerminationGuard;

/**
 * Transactions of the plugin's own, beside the caller's; no other class opens one.
 *
 * <p>What is written here is committed before anything is shown: a caller who rolls back takes nothing back. What is
 * read here is what others committed: the caller's unfinished edits do not enter a release. Each of them, a read too,
 * has a limit of time and ends when its caller ends: terminated, timed out, or gone. Locks are waited for no longer than
 * a limit, for the caller's own transaction may hold them; what is done under a lock has another.
 */
final class InnerTransactions {
    private static final TerminationGuard NOBODY = () -> {};
    private static final Duration AFTERWARDS = Duration.ofSeconds(2);

    private final GraphDatabaseService database;
    private final TerminationGuard caller;
    private final Duration lockLimit;
    private final Duration limit;

    InnerTransactions(GraphDatabaseService database, TerminationGuard caller, Duration lockLimit, Duration limit) {
        this.database = database;
        this.caller = caller;
        this.lockLimit = lockLimit;
        this.limit = limit;
    }

    /** Whether the caller has ended: terminated, timed out, or gone. */
    boolean callerEnded() {
        try {
            caller.check();
            return false;
        } catch (TransactionTerminatedException ended) {
            return true;
        }
    }

    /** The same for what is left to do when the caller has ended: one row, which is waited for a moment only. */
    InnerTransactions afterTheCaller() {
        return new InnerTransactions(database, NOBODY, AFTERWARDS, AFTERWARDS);
    }

    /** Run a script, and commit if it is done and the caller is still there: what was ended before its debit is free. */
    Script.Outcome run(Script script) {
        return within(Purpose.WRITE, (transaction, watch) -> {
            Script.Outcome outcome = script.run(transaction, watch);
            if (outcome.done()) {
                caller.check(); // the watch looks every 100 ms, and a script takes less
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
        return within(Purpose.WRITE, (transaction, watch) -> {
            T result = work.apply(transaction);
            transaction.commit();
            return result;
        });
    }

    /** Read what others have committed. */
    <T> T read(Function<Transaction, T> work) {
        return within(Purpose.READ, (transaction, watch) -> work.apply(transaction));
    }

    /** Nobody can write to this database. */
    static final class ReadOnlyException extends EdgeDPException {
        private static final long serialVersionUID = 1L;

        ReadOnlyException() {
            super("the database is read-only, must be writable: a release is written to its ledger before it is drawn");
        }
    }

    private enum Purpose {
        READ,
        WRITE
    }

    private interface Work<T> {
        T apply(Transaction transaction, Watch watch);
    }

    private <T> T within(Purpose purpose, Work<T> work) {
        caller.check();
        Duration whole = lockLimit.plus(limit);
        try (Transaction transaction = database.beginTx(whole.toMillis(), MILLISECONDS);
                Watch watch = new Watch(transaction, caller, lockLimit)) {
            try {
                return work.apply(transaction, watch);
            } catch (RuntimeException error) {
                caller.check(); // what an ended transaction says of itself is not why the caller ended
                throw purpose == Purpose.WRITE ? writing(error, watch) : reading(error);
            }
        }
    }

    private RuntimeException reading(RuntimeException error) {
        return ended(error)
                ? new EdgeDPException("the database was not read within " + lockLimit.plus(limit).toSeconds()
                        + " s; make an index on the property of the ids, or raise ledger.transaction.timeout in "
                        + "conf/edgedp.conf")
                : error;
    }

    private RuntimeException writing(RuntimeException error, Watch watch) {
        if (!(error instanceof ConstraintViolationException
                || error instanceof QueryExecutionException
                || error instanceof TransactionFailureException
                || error instanceof TransientTransactionFailureException)) {
            return error;
        }
        if (watch.waitedTooLong()) {
            return new EdgeDPException("the ledger was not free within " + lockLimit.toSeconds()
                    + " s, must be; end the transaction that holds it, or ask again");
        }
        String code = code(error);
        if (code.contains("ConstraintValidationFailed") || error instanceof ConstraintViolationException) {
            return new EdgeDPException("the name, the relationship type or the request identifier was taken by somebody "
                    + "else meanwhile; ask again");
        }
        if (code.contains("DeadlockDetected")) {
            return new EdgeDPException("the ledger was held by a transaction that waited for this one; ask again");
        }
        if (ended(error)) {
            return new EdgeDPException("the transaction on the ledger was ended, or took longer than "
                    + limit.toSeconds() + " s; ask again, or raise ledger.transaction.timeout in conf/edgedp.conf");
        }
        if (code.contains("ReadOnly")) {
            return new ReadOnlyException();
        }
        return new EdgeDPException("the ledger cannot be written (" + code
                + "), must be open to you; see to your rights and to the server's log");
    }

    private static boolean ended(RuntimeException error) {
        return code(error).contains(".Transaction.")
                || error instanceof TransactionTerminatedException
                || error instanceof TransientTransactionFailureException;
    }

    private static String code(RuntimeException error) {
        return error instanceof QueryExecutionException query ? query.getStatusCode() : "";
    }
}
