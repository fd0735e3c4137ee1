package org.edgedp.neo4j;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.NotFoundException;
import org.neo4j.graphdb.ResourceIterator;
import org.neo4j.graphdb.Transaction;

/**
 * A release: plan, debit, project, draw, keep, show; in this order and never back.
 *
 * @param graph what it was drawn from
 * @param plan what was asked
 * @param rows the nodes in the order picked
 */
record Release(GraphEntry graph, Plan plan, List<Rank> rows) {
    /** One node of a release. */
    public static final class Rank {
        /** 1 for the first node picked. */
        public final long rank;
        /** What Neo4j calls the node; null if it was deleted since. */
        public final String nodeId;
        /** The value of the graph's id property. */
        public final Object id;

        Rank(long rank, String nodeId, Object id) {
            this.rank = rank;
            this.nodeId = nodeId;
            this.id = id;
        }
    }

    /** Draw a release, or read again the one that answers the same request. */
    static Release draw(
            Call call, Selector selector, String name, Map<String, Object> configuration, boolean writes) {
        GraphEntry graph = call.graph(name);
        Plan plan = Plan.of(call, selector, graph, configuration, writes);
        Ledger ledger = new Ledger(call);
        Ledger.Debit debit = ledger.debit(graph, plan);
        if (debit.nodes() != null) {
            return new Release(graph, plan, kept(call, graph, debit.nodes()));
        }
        try {
            return new Release(graph, plan, fresh(call, graph, plan, ledger, debit.releaseId()));
        } catch (EdgeDPException error) {
            throw new EdgeDPException(error.getMessage() + " (release " + debit.releaseId() + " is debited)");
        }
    }

    /** Write the ranks in the caller's transaction, in place of the property's old marks. */
    long write(Transaction callers) {
        try (ResourceIterator<Node> nodes = callers.findNodes(graph.nodeLabel())) {
            nodes.stream()
                    .filter(node -> node.hasProperty(plan.writeProperty())) // removing nothing would lock the node
                    .forEach(node -> node.removeProperty(plan.writeProperty()));
        }
        return rows.stream().filter(row -> mark(callers, row)).count();
    }

    private boolean mark(Transaction callers, Rank row) {
        if (row.nodeId == null) {
            return false;
        }
        try {
            callers.getNodeByElementId(row.nodeId).setProperty(plan.writeProperty(), row.rank);
            return true;
        } catch (NotFoundException deletedByTheCaller) {
            return false;
        }
    }

    private static List<Rank> fresh(Call call, GraphEntry graph, Plan plan, Ledger ledger, String releaseId) {
        Projection projection = call.project(graph);
        ObjectNode request = Frame.request("draw")
                .put("selector", plan.selector().pythonName)
                .put("parameters", plan.parameters());
        request.set("facts", graph.facts());
        Frame drawn = call.ask(request, projection);
        ledger.record(releaseId, drawn.header().get("nodes").textValue());
        long[] picked = drawn.longs("rows");
        return IntStream.range(0, picked.length)
                .mapToObj(pick -> rank(pick, projection, (int) picked[pick]))
                .toList();
    }

    private static Rank rank(int pick, Projection projection, int row) {
        return new Rank(pick + 1, projection.elementIds()[row], projection.id(row));
    }

    private static List<Rank> kept(Call call, GraphEntry graph, String nodes) {
        List<?> ids = Frame.fromJson(nodes, List.class);
        return call.inner().read(transaction -> LongStream.rangeClosed(1, ids.size())
                .mapToObj(rank -> kept(transaction, graph, rank, ids.get((int) rank - 1)))
                .toList());
    }

    private static Rank kept(Transaction transaction, GraphEntry graph, long rank, Object id) {
        try (Stream<Node> found = transaction.findNodes(graph.nodeLabel(), graph.idProperty(), id).stream()) {
            return new Rank(rank, found.map(Node::getElementId).findFirst().orElse(null), id);
        }
    }
}
