package org.edgedp.neo4j;

/**
 * A refusal or a failure, told in one sentence.
 *
 * <p>It has no cause and no stack trace, because Neo4j shows the root cause alone, and it prints as its sentence,
 * because Neo4j writes the exception itself behind "Caused by: ".
 */
class EdgeDPException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EdgeDPException(String sentence) {
        super(sentence, null, false, false);
    }

    @Override
    public String toString() {
        return getMessage();
    }
}
