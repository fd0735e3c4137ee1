package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.statement;

import java.util.Map;
import org.neo4j.graphdb.Result;
import org.neo4j.graphdb.Transaction;

/**
 * A ledger's amounts in nano-epsilon.
 *
 * @param budget may be null: none declared
 * @param maxPerRelease may be null: no limit
 */
record Balance(Long budget, long spent, Long maxPerRelease) {
    static Balance find(Transaction transaction, String name) {
        try (Result rows = transaction.execute(statement("ledger_find"), Map.of("name", name))) {
            if (!rows.hasNext()) {
                throw unknown(name);
            }
            Map<String, Object> row = rows.next();
            return new Balance((Long) row.get("budget"), (Long) row.get("spent"), (Long) row.get("maxPerRelease"));
        }
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
