package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.eclipse.collections.impl.list.mutable.primitive.DoubleArrayList;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.NotFoundException;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.ResourceIterable;
import org.neo4j.graphdb.ResourceIterator;
import org.neo4j.graphdb.Result;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;

/**
 * The private data of a graph as arrays: one row a node, two rows a relationship, each relationship once.
 *
 * <p>Directions, parallels and loops are the worker's to merge.
 *
 * @param ids values of the id property, {@code long[]} or {@code String[]}; null where they are missing or mixed
 * @param internalIds what Neo4j's store calls the nodes
 * @param sources row of each relationship's start
 * @param targets row of each relationship's end
 * @param candidates rows of the nodes that are ranked, of a graph with candidates; else none
 * @param weights what each relationship weighs, NaN for nothing, of a graph that declares weights; else none
 */
record Projection(
        Object ids, long[] internalIds, Ints sources, Ints targets, Ints candidates, DoubleArrayList weights) {
    private static final int CHECK_EVERY = 1 << 14;

    /** Read a graph, or what is dated within some windows of it, as others have committed it. */
    static Projection read(Transaction transaction, GraphEntry graph, JsonNode window, TerminationGuard guard) {
        LongArrayList internalIds = new LongArrayList();
        Ids ids = new Ids();
        Ints candidates = new Ints();
        for (int each = 0; each < graph.nodeLabels().size(); each++) {
            List<Label> before = graph.nodeLabels().subList(0, each);
            try (ResourceIterator<Node> nodes =
                    transaction.findNodes(graph.nodeLabels().get(each))) {
                while (nodes.hasNext()) {
                    Node node = nodes.next();
                    if (before.stream().noneMatch(node::hasLabel)) { // one with two labels is read once
                        if (graph.candidates() != null && node.hasLabel(graph.candidates())) {
                            candidates.add(internalIds.size());
                        }
                        internalIds.add(internalId(node));
                        ids.add(node.getProperty(graph.idProperty(), null));
                        checkNowAndThen(guard, internalIds.size());
                    }
                }
            }
        }
        Projection projection =
                new Projection(
                ids.typed(), internalIds.toArray(), new Ints(), new Ints(), candidates, new DoubleArrayList());
        if (graph.weighted()) {
            projection.readWhere(
                    transaction, "adjacency_weighted", graph.place(), weighed(graph, window), guard);
        } else if (window != null && !window.isNull()) {
            projection.readWhere(
                    transaction,
                    "adjacency_between",
                    graph.place(window.get("property").textValue()),
                    between(graph, window),
                    guard);
        } else if (graph.where().isEmpty()) {
            RowsById rows = RowsById.of(projection.internalIds);
            graph.relationshipTypes().forEach(type -> projection.readEdges(transaction, type, rows, guard));
        } else {
            projection.readWhere(
                    transaction, "adjacency_where", graph.place(), graph.conditions(), guard);
        }
        return projection;
    }

    private void readEdges(Transaction transaction, RelationshipType type, RowsById rows, TerminationGuard guard) {
        boolean all = isMostOfTheStore(transaction, type);
        try (ResourceIterable<Relationship> whole = all ? transaction.getAllRelationships() : null;
                ResourceIterator<Relationship> edges =
                        all ? whole.iterator() : transaction.findRelationships(type)) {
            for (int seen = 1; edges.hasNext(); seen++) {
                Relationship edge = edges.next();
                if (!all || edge.isType(type)) {
                    int source = rows.row(startId(edge));
                    int target = rows.row(endId(edge));
                    if (source != RowsById.OUTSIDE && target != RowsById.OUTSIDE) {
                        sources.add(source);
                        targets.add(target);
                    }
                }
                checkNowAndThen(guard, seen);
            }
        }
    }

    /** Read the relationships that hold the conditions, which the statement compares, here as for Python. */
    private void readWhere(
            Transaction transaction,
            String statement,
            Map<String, String> place,
            Map<String, Object> asked,
            TerminationGuard guard) {
        if (ids == null) return; // the worker refuses them
        Map<Object, Integer> rows = new HashMap<>();
        for (int row = 0; row < nodeCount(); row++) {
            rows.put(id(row), row);
        }
        try (Result found = Statements.result(transaction, statement, place, asked)) {
            for (int seen = 1; found.hasNext(); seen++) {
                Map<String, Object> columns = found.next();
                Integer source = rows.get(columns.get("id"));
                List<?> weighed = (List<?>) columns.get("weights");
                int at = 0;
                for (Object neighbor : (List<?>) columns.get("neighbors")) {
                    Integer target = rows.get(neighbor);
                    Object weight = weighed == null ? null : weighed.get(at++);
                    if (source != null && target != null) {
                        sources.add(source);
                        targets.add(target);
                        if (weighed != null) {
                            weights.add(weight == null ? Double.NaN : ((Number) weight).doubleValue());
                        }
                    }
                }
                checkNowAndThen(guard, seen);
            }
        }
    }

    /** What a statement of weights is asked with: the property that holds them, and the windows, if any are read. */
    private static Map<String, Object> weighed(GraphEntry graph, JsonNode window) {
        boolean all = window == null || window.isNull();
        Map<String, Object> asked = new HashMap<>(all ? Map.of("integers", false) : between(graph, window));
        asked.putAll(graph.conditions());
        asked.put("weight", graph.weightProperty());
        asked.put("date", all ? null : window.get("property").textValue());
        asked.putIfAbsent("low", null);
        asked.putIfAbsent("high", null);
        return asked;
    }

    /** What the date of a relationship is compared with, of the type that the calendar says that dates have. */
    private static Map<String, Object> between(GraphEntry graph, JsonNode window) {
        String type = window.get("type").textValue();
        Function<JsonNode, Object> moment =
                switch (type) {
                    case "ZONED DATETIME" -> each -> ZonedDateTime.parse(each.textValue());
                    case "LOCAL DATETIME" -> each -> LocalDateTime.parse(each.textValue());
                    case "DATE" -> each -> LocalDate.parse(each.textValue());
                    case "INTEGER" -> JsonNode::longValue;
                    default -> throw new EdgeDPException("dates are of the type " + type + ", which is none; report this");
                };
        Map<String, Object> found = new HashMap<>(graph.conditions());
        found.put("low", moment.apply(window.get("low")));
        found.put("high", moment.apply(window.get("high")));
        found.put("integers", window.get("integers").booleanValue());
        return found;
    }

    /**
     * Whether a scan of all relationships is the shorter way: it hands them out with their ends, and a scan of a type
     * does not, so that each of its relationships costs one more look-up.
     */
    private static boolean isMostOfTheStore(Transaction transaction, RelationshipType type) {
        Map<String, String> named = Map.of("relationship_type", type.name());
        Map<String, Object> counted = rows(transaction, "type_share", named, Map.of()).get(0);
        return 2 * (Long) counted.get("ofType") >= (Long) counted.get("ofAll");
    }

    int nodeCount() {
        return internalIds.length;
    }

    Object id(int row) {
        return ids instanceof long[] numbers ? (Object) numbers[row] : ((String[]) ids)[row];
    }

    /** Return what Neo4j calls the nodes of some rows; null for what was deleted since. */
    String[] elementIds(Transaction transaction, GraphEntry graph, int[] rows, TerminationGuard guard) {
        String[] found = new String[rows.length];
        for (int each = 0; each < rows.length; each++) {
            found[each] = elementId(transaction, graph, rows[each]);
            checkNowAndThen(guard, each);
        }
        return found;
    }

    private String elementId(Transaction transaction, GraphEntry graph, int row) {
        try {
            Node node = nodeById(transaction, internalIds[row]);
            // The store gives the number of a deleted node to another one.
            boolean still = graph.holds(node)
                    && Ids.same(node.getProperty(graph.idProperty(), null), id(row));
            return still ? node.getElementId() : null;
        } catch (NotFoundException deleted) {
            return null;
        }
    }

    /** Every row. */
    int[] allRows() {
        return IntStream.range(0, nodeCount()).toArray();
    }

    /** The arrays as the worker takes them. */
    Map<String, Object> arrays() {
        Map<String, Object> arrays = new LinkedHashMap<>();
        if (ids != null) {
            arrays.put("ids", ids);
        }
        arrays.put("sources", sources);
        arrays.put("targets", targets);
        if (candidates.length() > 0) {
            arrays.put("candidates", candidates);
        }
        if (weights.size() > 0) {
            arrays.put("weights", weights.toArray());
        }
        return arrays;
    }

    private static void checkNowAndThen(TerminationGuard guard, int count) {
        if (count % CHECK_EVERY == 0) {
            guard.check();
        }
    }

    // Numeric ids are deprecated for keeping; they are the fast way to tell nodes apart while a graph is read.

    @SuppressWarnings({"deprecation", "removal"})
    private static Node nodeById(Transaction transaction, long internalId) {
        return transaction.getNodeById(internalId);
    }

    @SuppressWarnings({"deprecation", "removal"})
    private static long internalId(Node node) {
        return node.getId();
    }

    @SuppressWarnings({"deprecation", "removal"})
    private static long startId(Relationship edge) {
        return edge.getStartNodeId();
    }

    @SuppressWarnings({"deprecation", "removal"})
    private static long endId(Relationship edge) {
        return edge.getEndNodeId();
    }
}
