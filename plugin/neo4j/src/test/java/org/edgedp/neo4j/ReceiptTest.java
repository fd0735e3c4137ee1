package org.edgedp.neo4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.neo4j.kernel.api.exceptions.Status;
import org.neo4j.logging.Log;

/** What a caller is told whose transaction does not take an answer that was debited. */
class ReceiptTest {
    private static final Status DEADLOCK = Status.Transaction.DeadlockDetected;

    private static final class Deadlock extends RuntimeException implements Status.HasStatus {
        private static final long serialVersionUID = 1L;

        @Override
        public Status status() {
            return DEADLOCK;
        }
    }

    private static final Throwable[] FAILURES = {
        new Deadlock(), new IllegalStateException("Node(7)"), new OutOfMemoryError("7 nodes"), new StackOverflowError()
    };

    private static Call call() {
        Log log = (Log) Proxy.newProxyInstance(
                ReceiptTest.class.getClassLoader(), new Class<?>[] {Log.class}, (self, method, given) -> null);
        return new Call(null, null, null, () -> {}, log, null);
    }

    private static EdgeDPException told(boolean named, Throwable failure) {
        return assertThrows(
                EdgeDPException.class,
                () -> new Release.Receipt("r", 1, named).saying(call(), () -> failing(failure)));
    }

    private static Object failing(Throwable failure) {
        if (failure instanceof Error error) throw error;
        throw (RuntimeException) failure;
    }

    /** Drivers ask again by themselves after a deadlock, and a release without a requestId would be debited again. */
    @Test
    void onlyWhatIsNotDebitedAgainIsAskedAgainByDrivers() {
        assertFalse(told(false, new Deadlock()) instanceof Status.HasStatus);
        assertEquals(DEADLOCK, ((Status.HasStatus) told(true, new Deadlock())).status());
    }

    @Test
    void everyFailureIsOneSentenceThatSaysWhatWasDebited() {
        String began = "your transaction did not take the answer; see to its locks and to the constraints of what it "
                + "writes (release r is debited; ";
        for (Throwable failure : FAILURES) {
            assertEquals(
                    began + "edgedp.releases gives its answer, or null if it was lost)",
                    told(false, failure).getMessage());
            assertEquals(
                    began + "asking again with the same requestId gives the kept answer, or says that it was lost)",
                    told(true, failure).getMessage());
        }
    }

    @Test
    void howADrawFailedIsNotSaid() {
        for (Throwable failure : FAILURES) {
            EdgeDPException told = assertThrows(
                    EdgeDPException.class,
                    () -> new Release.Receipt("r", 1, true).constant(call(), "it failed", () -> failing(failure)));
            assertEquals("it failed", told.getMessage());
            assertFalse(told instanceof Status.HasStatus);
        }
    }
}
