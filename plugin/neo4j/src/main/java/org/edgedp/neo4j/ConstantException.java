package org.edgedp.neo4j;

/** A refusal in the worker's words: after a debit one of the sentences of Python's {@code refusals}, else of a plan. */
final class ConstantException extends EdgeDPException {
    private static final long serialVersionUID = 1L;

    ConstantException(String sentence) {
        super(sentence);
    }
}
