package org.edgedp.neo4j;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.NotFoundException;
import org.neo4j.graphdb.ResourceIterator;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;

/**
 * The nodes of a graph, which are public: read once, before a release is debited, so that what it was planned for and
 * what it is drawn from are the same nodes, whatever others write meanwhile.
 *
 * @param ids values of the id property, {@code long[]} or {@code String[]}; null where they are missing or mixed
 * @param internalIds what Neo4j's store calls the nodes
 * @param candidates rows of the nodes that are ranked, of a graph with candidates; else none
 * @param survey what is public of them, with the columns of {@code survey.cypher}
 */
record Nodes(Object ids, long[] internalIds, Ints candidates, ObjectNode survey) {
    /** What edgedp's own labels begin with. */
    private static final String OWN = "EdgeDP";

    /** Read the nodes, as others have committed them. */
    static Nodes read(Transaction transaction, GraphEntry graph, TerminationGuard guard) {
        LongArrayList internalIds = new LongArrayList();
        Ids ids = new Ids();
        Ints candidates = new Ints();
        long ours = 0;
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
                        ours += carriesOurs(node, graph) ? 1 : 0;
                        internalIds.add(internalId(node));
                        ids.add(node.getProperty(graph.idProperty(), null));
                        Reading.checkNowAndThen(guard, internalIds.size());
                    }
                }
            }
        }
        ObjectNode survey = ids.survey(guard).put("nodes", internalIds.size()).put("ours", ours);
        survey.put("candidates", graph.candidates() == null ? internalIds.size() : candidates.length());
        return new Nodes(ids.typed(), internalIds.toArray(), candidates, survey);
    }

    private static boolean carriesOurs(Node node, GraphEntry graph) {
        return StreamSupport.stream(node.getLabels().spliterator(), false)
                .map(Label::name)
                .anyMatch(label -> label.startsWith(OWN) && !graph.isItsOwn(label));
    }

    int count() {
        return internalIds.length;
    }

    Object id(int row) {
        return ids instanceof long[] numbers ? (Object) numbers[row] : ((String[]) ids)[row];
    }

    /** Those of some rows with an id that are of these nodes, and did not come since. */
    JsonNode ofThem(JsonNode rows) {
        ArrayNode found = Frame.JSON.createArrayNode();
        rows.forEach(row -> {
            Object id = Frame.toCypher(row.get("id"));
            if (ids != null && IntStream.range(0, count()).anyMatch(each -> Ids.same(id, id(each)))) {
                found.add(row);
            }
        });
        return found;
    }

    /** Return what Neo4j calls the nodes of some rows; null for what was deleted since. */
    String[] elementIds(Transaction transaction, GraphEntry graph, int[] rows, TerminationGuard guard) {
        String[] found = new String[rows.length];
        for (int each = 0; each < rows.length; each++) {
            found[each] = elementId(transaction, graph, rows[each]);
            Reading.checkNowAndThen(guard, each);
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

    /** Read the values of a property, one a node; NaN where it is missing, no number, or the node is gone. */
    double[] values(Transaction transaction, GraphEntry graph, String property, TerminationGuard guard) {
        double[] values = new double[count()];
        for (int row = 0; row < values.length; row++) {
            values[row] = value(transaction, graph, property, row);
            Reading.checkNowAndThen(guard, row);
        }
        return values;
    }

    private double value(Transaction transaction, GraphEntry graph, String property, int row) {
        try {
            Node node = nodeById(transaction, internalIds[row]);
            Object kept = graph.holds(node) ? node.getProperty(property, null) : null;
            return kept instanceof Number number ? number.doubleValue() : Double.NaN;
        } catch (NotFoundException deleted) {
            return Double.NaN;
        }
    }

    /** Bytes that ids which are texts take beside what any id does. */
    long textBytes() {
        return ids instanceof String[] texts
                ? Arrays.stream(texts).mapToLong(text -> Memory.TEXT + 5L * text.length()).sum()
                : 0;
    }

    /** Every row. */
    int[] allRows() {
        return IntStream.range(0, count()).toArray();
    }

    /** The arrays as the worker takes them. */
    Map<String, Object> arrays() {
        Map<String, Object> arrays = new LinkedHashMap<>();
        if (ids != null) {
            arrays.put("ids", ids);
        }
        if (candidates.length() > 0) {
            arrays.put("candidates", candidates);
        }
        return arrays;
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
}
