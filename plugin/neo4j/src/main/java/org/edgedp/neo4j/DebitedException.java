package org.edgedp.neo4j;

import org.neo4j.kernel.api.exceptions.Status;

/** A call whose caller ended it after its debit; it keeps the status that says how: terminated, or out of time. */
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
