package org.edgedp.neo4j;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.collections.impl.list.mutable.primitive.IntArrayList;
import org.eclipse.collections.impl.map.mutable.primitive.LongIntHashMap;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.ResourceIterator;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;

/**
 * The private data of a graph as arrays: one row a node, two rows a relationship, each relationship once.
 *
 * <p>Directions, parallels and loops are the worker's to merge.
 *
 * @param ids values of the id property, {@code long[]} or {@code String[]}; null where they are missing or mixed
 * @param elementIds what Neo4j calls the nodes
 * @param sources row of each relationship's start
 * @param targets row of each relationship's end
 */
record Projection(Object ids, String[] elementIds, int[] sources, int[] targets) {
    private static final int CHECK_EVERY = 1 << 14;
    private static final int OUTSIDE = -1;

    /** Read a graph as others have committed it. */
    static Projection read(Transaction transaction, GraphEntry graph, TerminationGuard guard) {
        LongIntHashMap rows = new LongIntHashMap();
        List<Object> ids = new ArrayList<>();
        List<String> elementIds = new ArrayList<>();
        try (ResourceIterator<Node> nodes = transaction.findNodes(graph.nodeLabel())) {
            while (nodes.hasNext()) {
                Node node = nodes.next();
                rows.put(internalId(node), ids.size());
                ids.add(node.getProperty(graph.idProperty(), null));
                elementIds.add(node.getElementId());
                checkNowAndThen(guard, ids.size());
            }
        }
        IntArrayList sources = new IntArrayList();
        IntArrayList targets = new IntArrayList();
        try (ResourceIterator<Relationship> edges = transaction.findRelationships(graph.relationshipType())) {
            for (int seen = 1; edges.hasNext(); seen++) {
                Relationship edge = edges.next();
                int source = rows.getIfAbsent(startId(edge), OUTSIDE);
                int target = rows.getIfAbsent(endId(edge), OUTSIDE);
                if (source != OUTSIDE && target != OUTSIDE) {
                    sources.add(source);
                    targets.add(target);
                }
                checkNowAndThen(guard, seen);
            }
        }
        return new Projection(
                typedIds(ids), elementIds.toArray(String[]::new), sources.toArray(), targets.toArray());
    }

    int nodeCount() {
        return elementIds.length;
    }

    Object id(int row) {
        return ids instanceof long[] numbers ? (Object) numbers[row] : ((String[]) ids)[row];
    }

    /** The arrays as the worker takes them. */
    Map<String, Object> arrays() {
        Map<String, Object> arrays = new LinkedHashMap<>();
        if (ids != null) {
            arrays.put("ids", ids);
        }
        arrays.put("sources", sources);
        arrays.put("targets", targets);
        return arrays;
    }

    private static Object typedIds(List<Object> values) {
        if (values.stream().allMatch(Projection::isWhole)) {
            return values.stream().mapToLong(value -> ((Number) value).longValue()).toArray();
        }
        if (values.stream().allMatch(String.class::isInstance)) {
            return values.toArray(String[]::new);
        }
        return null; // Python has the words
    }

    private static boolean isWhole(Object value) {
        return value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
    }

    private static void checkNowAndThen(TerminationGuard guard, int count) {
        if (count % CHECK_EVERY == 0) {
            guard.check();
        }
    }

    // Numeric ids are deprecated for keeping; inside one transaction they are the fast way to tell nodes apart.

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
