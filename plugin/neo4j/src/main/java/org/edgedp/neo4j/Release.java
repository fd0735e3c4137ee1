package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.NotFoundException;
import org.neo4j.graphdb.ResourceIterator;
import org.neo4j.graphdb.Transaction;
import org.neo4j.graphdb.TransactionTerminatedException;
import org.neo4j.kernel.api.exceptions.Status;

/**
 * A release: plan, debit, project, draw, keep, show; in this order and never back.
 *
 * <p>Every kind of release takes this way: its procedure names the kind and shows the answer.
 *
 * @param graph what it was drawn from
 * @param receipt its identifier and what it cost
 * @param answer what was drawn, as the ledger keeps it
 * @param picked the answer's nodes as they were projected; null for a kept release, or one without nodes
 * @param write where the ranks go, or null
 */
record Release(GraphEntry graph, Receipt receipt, JsonNode answer, List<Picked> picked, JsonNode write) {
    /** Who asks here, as the log names them: nobody in particular, for only the gateway knows analysts. */
    private static final String DIRECT = "";

    /**
     * Which release it is.
     *
     * @param releaseId identifier
     * @param epsilon what it cost when it was drawn
     * @param named whether the caller gave a requestId
     */
    record Receipt(String releaseId, double epsilon, boolean named) {
        static Receipt of(JsonNode told, Map<String, Object> configuration) {
            boolean named = configuration != null && configuration.get("requestId") != null;
            return new Receipt(
                    told.get("release_id").textValue(), told.get("epsilon").doubleValue(), named);
        }

        /** Do what is left to do for a release; a failure, and an end by the caller, says that it is debited. */
        <T> T saying(Call call, Supplier<T> work) {
            try {
                return work.get();
            } catch (EdgeDPException error) {
                throw new EdgeDPException(error.getMessage() + debited());
            } catch (RuntimeException | Error error) {
                try {
                    call.guard().check();
                } catch (TransactionTerminatedException ended) {
                    throw new DebitedException(
                            ended.status(), "the call was ended before its answer was shown" + debited());
                }
                call.log().error("edgedp release %s: %s", releaseId, error.getClass().getName());
                throw refused(error);
            }
        }

        /** Project and draw: how it fails follows the relationships, how many and what they hold, so it is not said. */
        <T> T constant(Call call, String sentence, Supplier<T> work) {
            try {
                return work.get();
            } catch (ConstantException | TransactionTerminatedException told) {
                throw told;
            } catch (RuntimeException | Error failed) { // a heap that is full is an error, too
                boolean ours = failed instanceof EdgeDPException;
                String why = ours ? failed.getMessage() : failed.getClass().getName();
                call.log().error("edgedp release %s: %s", releaseId, why);
                throw new EdgeDPException(sentence);
            }
        }

        /** Only a call that is not debited again keeps a status by which drivers ask again by themselves. */
        private EdgeDPException refused(Throwable error) {
            String sentence = "your transaction did not take the answer; see to its locks and to the constraints of "
                    + "what it writes" + debited();
            return named && error instanceof Status.HasStatus told
                    ? new DebitedException(told.status(), sentence)
                    : new EdgeDPException(sentence);
        }

        private String debited() {
            String how = named
                    ? "; asking again with the same requestId gives the kept answer, or says that it was lost)"
                    : "; edgedp.releases gives its answer, or null if it was lost)";
            return " (release " + releaseId + " is debited" + how;
        }
    }

    /**
     * One node of an answer.
     *
     * @param nodeId what Neo4j calls it; null if it was deleted since
     * @param id the value of the graph's id property
     */
    record Picked(long rank, String nodeId, Object id) {}

    /** One node of a release. */
    public static final class Rank {
        /** 1 for the first node picked. */
        public final long rank;
        /** What Neo4j calls the node; null if it was deleted since. */
        public final String nodeId;
        /** The value of the graph's id property. */
        public final Object id;
        /** The node, as the caller's transaction sees it; null if it does not. */
        public final Node node;
        /** The node's title, where the graph's nodes have titles: public; else null. */
        public final String title;
        /** The chance that the node belongs to the true top k; null where the release is not made of noisy vectors. */
        public final Double membership;
        /** Identifier of the release. */
        public final String releaseId;
        /** What the release cost when it was drawn. */
        public final double epsilon;

        Rank(Picked picked, Transaction callers, String title, Double membership, Receipt receipt) {
            this.rank = picked.rank;
            this.nodeId = picked.nodeId;
            this.id = picked.id;
            this.node = seen(callers, picked.nodeId);
            this.title = title;
            this.membership = membership;
            this.releaseId = receipt.releaseId;
            this.epsilon = receipt.epsilon;
        }
    }

    /** Draw a release, or read again the one that answers the same request. */
    static Release draw(Call call, String kind, String name, Map<String, Object> configuration, boolean writes) {
        new Schema(call).check();
        GraphEntry graph = call.graph(name);
        try {
            return draw(call, kind, graph, call.nodes(graph, 0), configuration, writes);
        } finally {
            call.memory().close();
        }
    }

    private static Release draw(
            Call call, String kind, GraphEntry graph, Nodes nodes, Map<String, Object> configuration, boolean writes) {
        ObjectNode request =
                question("plan", call, kind, graph, nodes.survey(), configuration).put("writes", writes);
        request.set("named", nodes.ofThem(request.get("named")));
        JsonNode planned = call.ask(request).header();
        Receipt receipt = Receipt.of(planned, configuration);
        checkProperty(call, graph, planned.get("write")); // of a kept release, too: it is written again
        if (!planned.get("kept").isNull()) {
            return new Release(graph, receipt, planned.get("kept"), null, planned.get("write"));
        }
        call.memory().take(Reading.byIds(graph, planned.get("window")) ? nodes.count() * Memory.BY_ID : 0);
        Script.Outcome debit = call.inner().run(Script.of(planned.get("script")));
        if (!debit.done()) {
            JsonNode kept = kept(call, graph, planned, debit);
            return new Release(graph, Receipt.of(kept, configuration), kept.get("answer"), null, planned.get("write"));
        }
        return receipt.saying(call, () -> receipt.constant(call, planned.get("failed").textValue(), () -> {
            try (Lease lease = new Lease(call.inner(), planned.get("lease"))) {
                note(call, kind, graph, receipt);
                return fresh(call, graph, nodes, planned, receipt, lease);
            }
        }));
    }

    /** Say in Neo4j's log what was debited: who, of which graph, what kind, what it cost; never what was drawn. */
    private static void note(Call call, String kind, GraphEntry graph, Receipt receipt) {
        Object who = call.inner()
                .read(transaction -> rows(transaction, "current_user", Map.of()))
                .get(0)
                .get("username");
        call.log()
                .info(
                        "edgedp release %s: %s of %s for %s, epsilon %s",
                        receipt.releaseId(),
                        kind,
                        Frame.toJson(graph.name()), // quoted, so that a name is never a line of its own
                        Frame.toJson(who),
                        receipt.epsilon());
    }

    /** What is public of a graph and its account, with a caller's configuration: what a plan is made of. */
    static ObjectNode question(
            String verb,
            Call call,
            String kind,
            GraphEntry graph,
            JsonNode survey,
            Map<String, Object> configuration) {
        ObjectNode request = Call.request(verb, configuration).put("kind", kind);
        request.set("graph", graph.row());
        request.set("survey", survey);
        request.set("account", Frame.toJson(call.read("account_find", graph.name())));
        request.set("accounts", Frame.toJson(call.accounts(graph)));
        request.set("asked_before", askedBefore(call, graph, configuration));
        request.set("named", named(call, graph, configuration));
        request.set("attributes", Frame.toJson(call.read("attribute_list", Account.attributes(graph.name()))));
        return request;
    }

    /** The nodes of the answer as rows, in the order picked. */
    Stream<Rank> ranks(Call call) {
        return receipt.saying(call, () -> picks(call).stream()
                .map(pick -> new Rank(pick, call.callers(), title(pick), membership(pick), receipt))
                .toList()
                .stream());
    }

    private String title(Picked pick) {
        return answer.path("titles").path((int) pick.rank - 1).textValue();
    }

    private Double membership(Picked pick) {
        JsonNode chance = answer.path("membership").path((int) pick.rank - 1);
        return chance.isNumber() ? chance.doubleValue() : null;
    }

    private List<Picked> picks(Call call) {
        if (picked != null) {
            return picked;
        }
        List<Object> ids = new ArrayList<>();
        answer.path("nodes").forEach(id -> ids.add(Frame.toCypher(id)));
        Map<Object, String> found = call.inner().read(transaction -> graph.nodeIds(transaction, ids));
        return IntStream.range(0, ids.size())
                .mapToObj(pick -> new Picked(pick + 1, found.get(ids.get(pick)), ids.get(pick)))
                .toList();
    }

    /** Write the ranks in the caller's transaction, in place of the property's old marks. */
    long writeRanks(Call call) {
        String property = write.get("property").textValue();
        Transaction callers = call.callers();
        for (Label label : graph.nodeLabels()) {
            try (ResourceIterator<Node> nodes = callers.findNodes(label)) {
                nodes.stream()
                        .filter(node -> node.hasProperty(property)) // removing nothing would lock the node
                        .forEach(node -> node.removeProperty(property));
            }
        }
        rows(callers, "written_put", markOf(graph, property));
        return picks(call).stream().filter(pick -> mark(callers, property, pick)).count();
    }

    /** What says in the database that a property is this graph's: another graph may get its name, over other nodes. */
    private static Map<String, Object> markOf(GraphEntry graph, String property) {
        String labels = graph.place().get("node_label");
        return Map.of("name", graph.name(), "property", property, "nodeLabel", labels);
    }

    private static boolean mark(Transaction callers, String property, Picked pick) {
        Node node = seen(callers, pick.nodeId);
        if (node == null) {
            return false;
        }
        node.setProperty(property, pick.rank);
        return true;
    }

    /** Return a node as a transaction sees it, or null if it does not: it was deleted. */
    private static Node seen(Transaction transaction, String nodeId) {
        if (nodeId == null) {
            return null;
        }
        try {
            return transaction.getNodeByElementId(nodeId);
        } catch (NotFoundException deleted) {
            return null;
        }
    }

    /** Refuse, before the debit, to write over values that are not a release's. */
    private static void checkProperty(Call call, GraphEntry graph, JsonNode write) {
        if (write.isNull() || write.get("if_there").isNull()) {
            return;
        }
        String property = write.get("property").textValue();
        Map<String, Object> found = rows(
                        call.callers(),
                        "written_find",
                        graph.place(property),
                        markOf(graph, property))
                .get(0);
        if ((Boolean) found.get("there") && !(Boolean) found.get("ours")) {
            throw new EdgeDPException(write.get("if_there").textValue());
        }
    }

    private static JsonNode askedBefore(Call call, GraphEntry graph, Map<String, Object> configuration) {
        Object asked = configuration == null ? null : configuration.get("requestId");
        List<Map<String, Object>> found = new ArrayList<>();
        if (asked instanceof String) {
            for (String account : List.of(graph.name(), Account.attributes(graph.name()))) {
                found.addAll(call.inner()
                        .read(transaction -> rows(
                                transaction,
                                "request_find",
                                Map.of("name", account, "analyst", DIRECT, "requestId", asked))));
            }
        }
        return Frame.toJson(found);
    }

    /** Find out which of the nodes that a question names are there: what nodes there are is public. */
    private static JsonNode named(Call call, GraphEntry graph, Map<String, Object> configuration) {
        List<Object> asked = new ArrayList<>();
        if (configuration != null) {
            asked.add(configuration.get("node"));
            // Any other number is refused by the worker, and nobody pays for looking it up.
            List<?> pair = listOf(configuration.get("pair"));
            asked.addAll(pair.size() == 2 ? pair : List.of());
            asked.removeIf(id -> !(id instanceof Long || id instanceof String));
        }
        if (asked.isEmpty()) return Frame.toJson(List.of());
        return call.inner().read(transaction -> graph.named(transaction, asked));
    }

    /** A list as it is written in Cypher, or as a property of a node holds it. */
    private static List<?> listOf(Object value) {
        if (value instanceof long[] numbers) return Arrays.stream(numbers).boxed().toList();
        if (value instanceof Object[] texts) return List.of(texts);
        return value instanceof List<?> list ? list : List.of();
    }

    private static JsonNode kept(Call call, GraphEntry graph, JsonNode planned, Script.Outcome debit) {
        ObjectNode request =
                Frame.request("judge").put("name", graph.name()).put("outcome", debit.name());
        request.set("rows", debit.rows());
        request.set("plan", planned.get("plan"));
        request.set("request_id", planned.get("request_id"));
        return call.ask(request).header();
    }

    private static Release fresh(
            Call call, GraphEntry graph, Nodes nodes, JsonNode planned, Receipt receipt, Lease lease) {
        ObjectNode request = Frame.request("draw").put("name", graph.name());
        request.set("release_id", planned.get("release_id"));
        request.set("plan", planned.get("plan"));
        request.set("graph", graph.row());
        Frame drawn = planned.hasNonNull("property")
                ? call.ask(request, call.records(graph, nodes, planned.get("property").textValue()))
                : call.draw(request, graph, nodes, planned.get("window"));
        JsonNode shown = drawn.header();
        if (!call.inner().run(Script.of(shown.get("script"))).done()) {
            throw new ConstantException(shown.get("lost").textValue());
        }
        lease.answered();
        long[] rows = drawn.longs("rows");
        List<Picked> picked = rows == null ? null : picked(call, graph, nodes, rows);
        Receipt drawnFor = new Receipt(receipt.releaseId(), shown.get("epsilon").doubleValue(), receipt.named());
        return new Release(graph, drawnFor, shown.get("answer"), picked, planned.get("write"));
    }

    private static List<Picked> picked(Call call, GraphEntry graph, Nodes nodes, long[] drawn) {
        int[] rows = Arrays.stream(drawn).mapToInt(Math::toIntExact).toArray();
        String[] nodeIds = call.elementIds(graph, nodes, rows);
        return IntStream.range(0, rows.length)
                .mapToObj(pick -> new Picked(pick + 1, nodeIds[pick], nodes.id(rows[pick])))
                .toList();
    }
}
