package org.edgedp.neo4j;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What an {@code .estimate} procedure tells: public facts, of whatever kind the release is. */
public final class Estimate {
    private static final List<String> WINDOWS = List.of("window", "windows");

    /** What the release would cost; null where the question itself is refused. */
    public final Double epsilon;
    /** What is left of the budget; null if nothing is declared. */
    public final Double epsilonRemaining;
    /** What would be left after it. */
    public final Double epsilonRemainingAfter;
    /** How many such releases the budget affords. */
    public final long releasesLeft;
    /** Why the release would be refused; null if nothing public speaks against it. */
    public final String refused;
    /** On what noise goes, and its scale where that is public. */
    public final List<Object> noise;
    /** What would be asked, with every default filled in. */
    public final Map<String, Object> parameters;
    /** The accounts of the graph's relationship types, each with what is left of it and whether the release fits; null of one. */
    public final List<Object> accounts;

    /** Bytes of the server's heap, and of the worker: for its nodes, and for each relationship, whose number is private. */
    public final Map<String, Object> memory;

    @SuppressWarnings("unchecked")
    private Estimate(JsonNode told, long heap, String full) {
        epsilon = amount(told, "epsilon");
        epsilonRemaining = amount(told, "epsilon_remaining");
        epsilonRemainingAfter = amount(told, "epsilon_remaining_after");
        releasesLeft = told.get("releases_left").longValue();
        refused = told.get("refused").isNull() ? full : told.get("refused").textValue();
        noise = Frame.JSON.convertValue(told.get("noise"), List.class);
        parameters = Frame.JSON.convertValue(told.get("parameters"), Map.class);
        accounts = Frame.JSON.convertValue(told.get("accounts"), List.class);
        memory = new LinkedHashMap<>();
        memory.put("heap", heap);
        memory.putAll(Frame.JSON.convertValue(told.get("memory"), Map.class));
    }

    /** Ask for the estimate of a release; the graph's relationships are not read and nothing is written. */
    static Stream<Estimate> of(Call call, String kind, String name, Map<String, Object> configuration) {
        new Schema(call).check();
        GraphEntry graph = call.graph(name);
        ObjectNode request = Release.question("estimate", call, kind, graph, call.inner().read(graph::survey), configuration);
        String second = Account.attributes(graph.name());
        List<Map<String, Object>> records = call.read("account_find", second);
        request.set("attributes_account", Frame.toJson(records));
        boolean all = graph.accounts().stream().allMatch(account -> addsUp(call, account));
        request.put("adds_up", all && addsUp(call, graph.name()) && (records.isEmpty() || addsUp(call, second)));
        boolean byIds = Reading.byIds(graph, null)
                || WINDOWS.stream().anyMatch(key -> configuration != null && configuration.get(key) != null);
        long heap = Memory.ofNodes(request.get("survey").get("nodes").longValue(), byIds);
        return Stream.of(new Estimate(call.ask(request).header(), heap, call.memory().refusalOf(heap)));
    }

    private static boolean addsUp(Call call, String account) {
        return !call.read("account_adds_up", account).isEmpty();
    }

    private static Double amount(JsonNode told, String key) {
        return told.hasNonNull(key) ? (Double) told.get(key).doubleValue() : null;
    }
}
