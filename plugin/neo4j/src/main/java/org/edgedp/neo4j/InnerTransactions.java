package org.edgedp.neo4j;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.function.Function;
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
 * longer than a limit, for the caller's own transaction may hold them.
 */
final class InnerTransactions {
    private final GraphDatabaseService database;
    private final Duration limit;

    InnerTransactions(GraphDatabaseService database, Duration limit) {
        this.database = database;
        this.limit = limit;
    }

    /** Run statements of registry and ledger and commit; nothing of it stays if one of them fails. */
    <T> T commit(Function<Transaction, T> work) {
        try (Transaction transaction = database.beginTx(limit.toMillis(), MILLISECONDS)) {
            T result = work.apply(transaction);
            transaction.commit();
            return result;
        } catch (QueryExecutionException | TransactionFailureException | TransientTransactionFailureException error) {
            throw explained(error);
        }
    }

    /** A transaction that takes too long is ended from outside, whatever it waits for; anything else has a code. */
    private EdgeDPException explained(RuntimeException error) {
        String code = error instanceof QueryExecutionException query ? query.getStatusCode() : "";
        boolean ended = code.contains(".Transaction.") || error instanceof TransientTransactionFailureException;
        if (ended || error instanceof TransactionTerminatedException) {
            return new EdgeDPException("the ledger was not free within " + limit.toSeconds()
                    + " s, must be; end the transaction that holds it, or ask again");
        }
        return new EdgeDPException("the ledger cannot be written (" + code
                + "), must be open to you; see to your rights and to the server's log");
    }

    /** Read what others have committed. */
    <T> T read(Function<Transaction, T> work) {
        try (Transaction transaction = database.beginTx()) {
            return work.apply(transaction);
        }
    }
}
