package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.ResourceIterable;
import org.neo4j.graphdb.ResourceIterator;
import org.neo4j.graphdb.Result;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;

/**
 * Reads what is private of a graph: its relationships as pairs of rows of its nodes, each relationship once.
 *
 * <p>Directions, parallels and loops are the worker's to merge. A relationship of a node that came since the nodes were
 * read is none of the graph's.
 *
 * @param seen told of the number of relationships that were looked at, now and then
 */
record Reading(Transaction transaction, GraphEntry graph, Nodes nodes, TerminationGuard guard, LongConsumer seen) {
    private static final int CHECK_EVERY = 1 << 14;
    private static final int TELL_EVERY = 1 << 20;

    /** Hand out a graph, or what is dated within some windows of it, as others have committed it. */
    void to(Pairs pairs, JsonNode window) {
        if (graph.weighted()) {
            readWhere(pairs, "adjacency_weighted", graph.place(), weighed(window));
        } else if (window != null && !window.isNull()) {
            String property = window.get("property").textValue();
            readWhere(pairs, "adjacency_between", graph.place(property), between(window));
        } else if (graph.where().isEmpty()) {
            RowsById rows = RowsById.of(nodes.internalIds());
            graph.relationshipTypes().forEach(type -> readEdges(pairs, type, rows));
        } else {
            readWhere(pairs, "adjacency_where", graph.place(), graph.conditions());
        }
    }

    /** Whether rows are found by ids, which takes more memory than finding them by internal ids. */
    static boolean byIds(GraphEntry graph, JsonNode window) {
        return graph.weighted() || !graph.where().isEmpty() || (window != null && !window.isNull());
    }

    private void readEdges(Pairs pairs, RelationshipType type, RowsById rows) {
        boolean all = isMostOfTheStore(type);
        try (ResourceIterable<Relationship> whole = all ? transaction.getAllRelationships() : null;
                ResourceIterator<Relationship> edges =
                        all ? whole.iterator() : transaction.findRelationships(type)) {
            for (long count = 1; edges.hasNext(); count++) {
                Relationship edge = edges.next();
                if (!all || edge.isType(type)) {
                    int source = rows.row(startId(edge));
                    int target = rows.row(endId(edge));
                    if (source != RowsById.OUTSIDE && target != RowsById.OUTSIDE) {
                        pairs.add(source, target);
                    }
                }
                checkNowAndThen(count);
            }
        }
    }

    /** Read the relationships that hold the conditions, which the statement compares, here as for Python. */
    private void readWhere(Pairs pairs, String statement, Map<String, String> place, Map<String, Object> asked) {
        if (nodes.ids() == null) return; // the worker refuses them
        Map<Object, Integer> rows = new HashMap<>();
        for (int row = 0; row < nodes.count(); row++) {
            rows.put(nodes.id(row), row);
            checkNowAndThen(guard, row);
        }
        try (Result found = Statements.result(transaction, statement, place, asked)) {
            for (long count = 1; found.hasNext(); count++) {
                Map<String, Object> columns = found.next();
                Integer source = rows.get(columns.get("id"));
                List<?> weights = (List<?>) columns.get("weights");
                int at = 0;
                for (Object neighbor : (List<?>) columns.get("neighbors")) {
                    Integer target = rows.get(neighbor);
                    Object weight = weights == null ? null : weights.get(at++);
                    if (source != null && target != null) {
                        pairs.add(source, target, weight == null ? Double.NaN : ((Number) weight).doubleValue());
                    }
                }
                checkNowAndThen(guard, count);
            }
        }
    }

    /** What a statement of weights is asked with: the property that holds them, and the windows, if any are read. */
    private Map<String, Object> weighed(JsonNode window) {
        boolean all = window == null || window.isNull();
        Map<String, Object> asked = new HashMap<>(all ? Map.of("integers", false) : between(window));
        asked.putAll(graph.conditions());
        asked.put("weight", graph.weightProperty());
        asked.put("date", all ? null : window.get("property").textValue());
        asked.putIfAbsent("low", null);
        asked.putIfAbsent("high", null);
        return asked;
    }

    /** What the date of a relationship is compared with, of the type that the calendar says that dates have. */
    private Map<String, Object> between(JsonNode window) {
        String type = window.get("type").textValue();
        Function<JsonNode, Object> moment =
                switch (type) {
                    case "ZONED DATETIME" -> each -> ZonedDateTime.parse(each.textValue());
                    case "LOCAL DATETIME" -> each -> LocalDateTime.parse(each.textValue());
                    case "DATE" -> each -> LocalDate.parse(each.textValue());
                    case "INTEGER" -> JsonNode::longValue;
                    default -> throw new EdgeDPException("dates are of the type " + type + ", which is none; report this");
                };
        Map<String, Object> asked = new HashMap<>(graph.conditions());
        asked.put("low", moment.apply(window.get("low")));
        asked.put("high", moment.apply(window.get("high")));
        asked.put("integers", window.get("integers").booleanValue());
        return asked;
    }

    /**
     * Whether a scan of all relationships is the shorter way: it hands them out with their ends, and a scan of a type
     * does not, so that each of its relationships costs one more look-up.
     */
    private boolean isMostOfTheStore(RelationshipType type) {
        Map<String, String> named = Map.of("relationship_type", type.name());
        Map<String, Object> counted = rows(transaction, "type_share", named, Map.of()).get(0);
        return 2 * (Long) counted.get("ofType") >= (Long) counted.get("ofAll");
    }

    private void checkNowAndThen(long count) {
        checkNowAndThen(guard, count);
        if (count % TELL_EVERY == 0) {
            seen.accept(count);
        }
    }

    static void checkNowAndThen(TerminationGuard guard, long count) {
        if (count % CHECK_EVERY == 0) {
            guard.check();
        }
    }

    // Numeric ids are deprecated for keeping; they are the fast way to tell nodes apart while a graph is read.

    @SuppressWarnings({"deprecation", "removal"})
    private static long startId(Relationship edge) {
        return edge.getStartNodeId();
    }

    @SuppressWarnings({"deprecation", "removal"})
    private static long endId(Relationship edge) {
        return edge.getEndNodeId();
    }
}
