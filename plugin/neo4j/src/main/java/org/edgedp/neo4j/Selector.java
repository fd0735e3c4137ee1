package org.edgedp.neo4j;

/** Which selector a release is drawn by. */
enum Selector {
    PRIV_TOP_K("priv_top_k"),
    MOTKIN("motkin");

    final String pythonName;

    Selector(String pythonName) {
        this.pythonName = pythonName;
    }
}
