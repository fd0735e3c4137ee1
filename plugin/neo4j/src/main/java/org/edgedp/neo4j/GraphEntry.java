package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.statement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Result;
import org.neo4j.graphdb.Transaction;

/**
 * A row of the registry: what is public of a graph, and where its nodes and edges are.
 *
 * @param degreeBound the declared bound, or null
 * @param nodeCount number of nodes, as of now where the graph is not edgedp's own
 */
record GraphEntry(
        String name,
        long version,
        Label nodeLabel,
        RelationshipType relationshipType,
        String idProperty,
        long nodeCount,
        Long degreeBound,
        boolean nodesSupplied) {
    /** Return the entry of a registered name. */
    static GraphEntry find(Transaction transaction, String name) {
        try (Result rows = transaction.execute(statement("graph_find"), Map.of("name", String.valueOf(name)))) {
            if (!rows.hasNext()) {
                throw new EdgeDPException("name is '" + name + "', must be a graph that is loaded or registered; "
                        + "see edgedp.graph.list() and edgedp.graph.register()");
            }
            return of(rows.next());
        }
    }

    private static GraphEntry of(Map<String, Object> row) {
        return new GraphEntry(
                (String) row.get("name"),
                (Long) row.get("version"),
                Label.label((String) row.get("nodeLabel")),
                RelationshipType.withName((String) row.get("relationshipType")),
                (String) row.get("idProperty"),
                (Long) row.get("nodeCount"),
                (Long) row.get("degreeBound"),
                (Boolean) row.get("nodesSupplied"));
    }

    /** The public facts, as the worker takes them. */
    ObjectNode facts() {
        return Frame.JSON
                .createObjectNode()
                .put("node_count", nodeCount)
                .put("degree_bound", degreeBound)
                .put("nodes_supplied", nodesSupplied);
    }
}
