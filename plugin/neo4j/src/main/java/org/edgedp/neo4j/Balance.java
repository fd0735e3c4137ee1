package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Transaction;

/**
 * A ledger's amounts in nano-epsilon.
 *
 * @param budget may be null: none declared
 * @param maxPerRelease may be null: no limit
 */
record Balance(Long budget, long spent, Long maxPerRelease) {
    static Balance find(Transaction transaction, String name) {
        List<Map<String, Object>> found = rows(transaction, "ledger_find", Map.of("name", String.valueOf(name)));
        if (found.isEmpty()) {
            throw unknown(name);
        }
        Map<String, Object> row = found.get(0);
        if (row.get("delta") != null) {
            throw new EdgeDPException("the ledger of '" + name + "' accounts by (epsilon, delta), must be pure for a "
                    + "procedure; ask by Python or the command line");
        }
        return new Balance((Long) row.get("budget"), (Long) row.get("spent"), (Long) row.get("maxPerRelease"));
    }

    /** The refusal of a name that has no graph and never had one. */
    static EdgeDPException unknown(String name) {
        return new EdgeDPException("the graph is '" + name + "', must have been loaded or registered; "
                + "see edgedp.graph.list() and edgedp.graph.register()");
    }

    Long remaining() {
        return budget == null ? null : (Long) (budget - spent);
    }
}
