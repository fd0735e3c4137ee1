package org.edgedp.neo4j;

import org.neo4j.kernel.api.exceptions.Status;

/** A call that ended after its debit; it keeps the status that says how: terminated, out of time, or in a deadlock. */
final class DebitedException extends EdgeDPException implements Status.HasStatus {
    private static final long serialVersionUID = 1L;

    private final transient Status status;

    DebitedException(Status status, String sentence) {
        super(sentence);
        this.status = status;
    }

    @Override
    public Status status() {
        return status;
    }
}
