package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** Which graphs there are: the curator's procedures. */
public final class GraphProcedures extends ProcedureBase {
    /** The label in the row of a graph whose edges are not in the database; its number of nodes is in the row. */
    private static final String AT_ADDRESS = "EdgeDP at an address";

    /** The public facts of one graph. */
    public static final class Listed {
        /** Name of the graph. */
        public final String name;
        /** Number of nodes. */
        public final Long nodeCount;
        /** The public degree bound; n - 1 where none is declared, and null where only candidates are ranked. */
        public final Long degreeBound;
        /** What may be spent; null if nothing is declared. */
        public final Double epsilonBudget;
        /** What was spent. */
        public final Double epsilonSpent;
        /** Delta of a budget that is declared as (epsilon, delta); null for a pure one. */
        public final Double delta;
        /** What is wrong with the account where it does not add up, and its amounts are null; else null. */
        public final String problem;

        Listed(Map<String, Object> row, Account account) {
            name = (String) row.get("name");
            nodeCount = row.get("nodeCount") instanceof Long count ? count : 0L; // of a row that was edited
            Long declared = row.get("degreeBound") instanceof Long bound ? bound : null;
            long most = Math.max(nodeCount - 1, 0);
            Long effective = declared == null ? most : Math.min(declared, most);
            degreeBound = GraphEntry.hasCandidates(row) ? null : effective;
            epsilonBudget = account.budget();
            epsilonSpent = account.spent();
            delta = account.delta();
            problem = account.problem();
        }
    }

    /** The public facts of a graph that was registered, and what its curator is told beside them. */
    public static final class Registered {
        /** Name of the graph. */
        public final String name;
        /** Number of nodes. */
        public final Long nodeCount;
        /** The public degree bound; n - 1 where none is declared, and null where only candidates are ranked. */
        public final Long degreeBound;
        /** What may be spent; null if nothing is declared. */
        public final Double epsilonBudget;
        /** What was spent. */
        public final Double epsilonSpent;
        /** Delta of a budget that is declared as (epsilon, delta); null for a pure one. */
        public final Double delta;
        /** Computed from the relationships without a mechanism, for the curator alone: never to be published. */
        public final Map<String, Object> exact;
        /** What should be put right. */
        public final List<Object> warnings;

        @SuppressWarnings("unchecked")
        Registered(Listed graph, JsonNode checked) {
            name = graph.name;
            nodeCount = graph.nodeCount;
            degreeBound = graph.degreeBound;
            epsilonBudget = graph.epsilonBudget;
            epsilonSpent = graph.epsilonSpent;
            delta = graph.delta;
            exact = Frame.JSON.convertValue(checked.get("exact"), Map.class);
            warnings = Frame.JSON.convertValue(checked.get("warnings"), List.class);
        }
    }

    /** One setting. */
    public static final class Setting {
        /** Its key in {@code conf/edgedp.conf}. */
        public final String key;
        /** What holds now. */
        public final String value;
        /** What holds where the file does not say. */
        public final String defaultValue;

        Setting(String key, String value, String defaultValue) {
            this.key = key;
            this.value = value;
            this.defaultValue = defaultValue;
        }
    }

    /** One row of a log. */
    public static final class Entry {
        /** 1, 2, 3 ... of this graph. */
        public final long seq;
        /** When, ISO 8601 in UTC. */
        public final String at;
        /** Whom the database had authenticated. */
        public final String by;
        /** What happened: load, register, budget, debit, answer, exact ... */
        public final String event;
        /** Identifier of the release, of a debit and its answer. */
        public final String releaseId;
        /** What a debit cost; else null. */
        public final Double epsilon;
        /** Public facts of it; of an exact read what was read, never a result. */
        public final Map<String, Object> details;
        /** What was spent after it. */
        public final double epsilonSpent;

        @SuppressWarnings("unchecked")
        Entry(JsonNode shown) {
            seq = shown.get("seq").longValue();
            at = shown.get("at").textValue();
            by = shown.get("by").textValue();
            event = shown.get("event").textValue();
            releaseId = shown.path("release_id").textValue();
            epsilon = shown.hasNonNull("epsilon") ? (Double) shown.get("epsilon").doubleValue() : null;
            details = Frame.JSON.convertValue(shown.get("details"), Map.class);
            epsilonSpent = shown.get("epsilon_spent").doubleValue();
        }
    }

    /** What is wrong with a ledger. */
    public static final class Checked {
        /** Name of the graph. */
        public final String name;
        /** Whether it adds up. */
        public final boolean ok;
        /** What does not, in sentences. */
        public final List<Object> problems;

        @SuppressWarnings("unchecked")
        Checked(String name, JsonNode found) {
            this.name = name;
            this.ok = found.isEmpty();
            this.problems = Frame.JSON.convertValue(found, List.class);
        }
    }

    /** A declared property. */
    public static final class Declared {
        /** Its name. */
        public final String property;
        /** Values are clipped to this range. */
        public final double low;
        /** Its other end. */
        public final double high;
        /** linear, geometric or explicit. */
        public final String grid;
        /** Number of points that an answer is one of. */
        public final long points;
        /** independent or degree. */
        public final String dependsOn;

        Declared(JsonNode shown) {
            property = shown.get("property").textValue();
            low = shown.get("low").doubleValue();
            high = shown.get("high").doubleValue();
            grid = shown.get("grid").textValue();
            points = shown.get("points").longValue();
            dependsOn = shown.get("depends_on").textValue();
        }
    }

    /** Register a graph. */
    @Procedure(name = "edgedp.graph.register", mode = Mode.SCHEMA)
    @Description("Register a graph that is already in the database, declare what is public of it and its budget.")
    public Stream<Registered> register(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(
                            value = "configuration",
                            description = "nodeLabel, relationshipType, idProperty, orientation, where, atLeast, weight, candidates, "
                                    + "titleProperty, protect, dates, within, degreeBound, epsilonBudget, maxEpsilonPerRelease, delta, allowEmpty, facts.")
                    Map<String, Object> configuration) {
        Call call = call();
        JsonNode checked = new Registry(call).register(name, configuration);
        return listed(call)
                .filter(graph -> graph.name.equals(name))
                .map(graph -> new Registered(graph, checked));
    }

    /** List the graphs. */
    @Procedure(name = "edgedp.graph.list", mode = Mode.READ)
    @Description("Return the public facts of every graph.")
    public Stream<Listed> list() {
        Call call = call();
        new Schema(call).check();
        return listed(call);
    }

    /** Whether a name is that of a graph. */
    public static final class Existing {
        /** The name. */
        public final String name;
        /** Whether a graph is registered or loaded under it. */
        public final boolean exists;

        Existing(String name, boolean exists) {
            this.name = name;
            this.exists = exists;
        }
    }

    /** Say whether a graph is there. */
    @Procedure(name = "edgedp.graph.exists", mode = Mode.READ)
    @Description("Say whether a graph is registered or loaded under a name.")
    public Stream<Existing> exists(@Name(value = "name", description = "Name of the graph.") String name) {
        Call call = call();
        new Schema(call).check();
        return Stream.of(new Existing(name, !call.read("graph_find", name).isEmpty()));
    }

    /** Declare another budget. */
    @Procedure(name = "edgedp.graph.setBudget", mode = Mode.SCHEMA)
    @Description("Declare another budget of a graph, not below what was spent; it is recorded.")
    public Stream<BudgetProcedures.Budget> setBudget(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(value = "epsilonBudget", description = "What all releases together may spend.") Object epsilonBudget,
            @Name(
                            value = "delta",
                            defaultValue = "null",
                            description = "Declares the budget as (epsilon, delta), before the first release.")
                    Object delta) {
        Call call = call();
        new Schema(call).migrate();
        new Registry(call).setBudget(name, epsilonBudget, delta);
        return BudgetProcedures.budget(call, name);
    }

    /** List the settings. */
    @Procedure(name = "edgedp.graph.settings", mode = Mode.READ)
    @Description("Return the settings of the plugin as they hold now, with their defaults.")
    public Stream<Setting> settings() {
        return Settings.effective(Home.find()).entrySet().stream()
                .map(each -> new Setting(each.getKey(), each.getValue(), Settings.byDefault(each.getKey())));
    }

    /** Declare a property. */
    @Procedure(name = "edgedp.graph.attribute", mode = Mode.SCHEMA)
    @Description("Declare a property of a graph's nodes: its public range and grid, what its values follow from, "
            + "and the budget of the attributes' account.")
    public Stream<Declared> attribute(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(
                            value = "configuration",
                            description = "property, low, high, grid, points, dependsOn, epsilonBudget.")
                    Map<String, Object> configuration) {
        Call call = call();
        new Schema(call).migrate();
        GraphEntry graph = call.graph(name);
        String ledger = Account.attributes(name);
        ObjectNode request = Call.request("attribute", configuration);
        request.set("graph", graph.row());
        List<Map<String, Object>> account = call.read("account_find", ledger);
        request.set("account", Frame.toJson(account.isEmpty() ? null : account.get(0)));
        request.set("attributes", Frame.toJson(call.read("attribute_list", ledger)));
        JsonNode answer = call.ask(request).header();
        call.run(name, graph.row(), answer.get("script"));
        return Stream.of(new Declared(answer.get("declared")));
    }

    /** Tell about the plugin. */
    @Procedure(name = "edgedp.graph.plugin", mode = Mode.READ)
    @Description("Return the version of the plugin and what its worker answers, or why none does.")
    public Stream<Plugin> plugin() {
        return Stream.of(Plugin.ask(call()));
    }

    /** Drop a graph. */
    @Procedure(name = "edgedp.graph.drop", mode = Mode.SCHEMA)
    @Description("Delete a loaded graph, or forget a registered one; its ledger stays.")
    public Stream<Listed> drop(@Name(value = "name", description = "Name of the graph.") String name) {
        Call call = call();
        new Schema(call).migrate();
        Stream<Listed> before = listed(call).filter(graph -> graph.name.equals(name));
        new Registry(call).drop(name);
        return before;
    }

    /** Tell what happened to a graph. */
    @Procedure(name = "edgedp.graph.log", mode = Mode.READ)
    @Description("Return the log of a graph, oldest first: loads, registrations, budgets, releases and exact reads, "
            + "each with when and by whom.")
    public Stream<Entry> log(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(
                            value = "configuration",
                            defaultValue = "{}",
                            description = "limit: how many rows at most; since: seq of the last row of the page before.")
                    Map<String, Object> configuration) {
        Call call = call();
        new Schema(call).check();
        call.account(name);
        JsonNode page = call.ask(Call.request("page", configuration).put("name", name).put("of", "log")).header();
        ObjectNode request = Call.request("log", configuration).put("name", name);
        for (String statement : List.of("account_find", "account_adds_up")) {
            request.withObject("/rows").set(statement, Frame.toJson(call.read(statement, name)));
        }
        Map<String, Object> asked = Map.of(
                "name", name, "since", page.get("since").longValue(), "limit", page.get("limit").longValue());
        List<Map<String, Object>> rows = call.inner().read(transaction -> rows(transaction, "log_page", asked));
        request.withObject("/rows").set("log_page", Frame.toJson(rows));
        return StreamSupport.stream(call.ask(request).header().get("entries").spliterator(), false)
                .map(Entry::new);
    }

    /** Check a ledger. */
    @Procedure(name = "edgedp.graph.check", mode = Mode.READ)
    @Description("Say whether a graph's ledger adds up, and what is wrong with it where it does not.")
    public Stream<Checked> check(@Name(value = "name", description = "Name of the graph.") String name) {
        Call call = call();
        new Schema(call).check();
        List<JsonNode> problems = problems(call, name);
        String second = Account.attributes(name);
        if (!call.read("account_find", second).isEmpty()) {
            problems.addAll(problems(call, second));
        }
        call.inner()
                .read(transaction -> GraphEntry.find(transaction, name))
                .map(GraphEntry::accounts)
                .orElse(List.of())
                .stream()
                .filter(account -> !account.equals(name))
                .forEach(account -> problems.addAll(problems(call, account)));
        return Stream.of(new Checked(name, Frame.JSON.valueToTree(problems)));
    }

    private static List<JsonNode> problems(Call call, String account) {
        ObjectNode request = Frame.request("check").put("name", account);
        for (String statement : List.of("account_find", "log_list", "share_list", "graph_find", "release_count")) {
            request.withObject("/rows").set(statement, Frame.toJson(call.read(statement, account)));
        }
        List<JsonNode> found = new ArrayList<>();
        call.ask(request).header().get("problems").forEach(found::add);
        return found;
    }

    /** Migrate the ledgers of an older edgedp. */
    @Procedure(name = "edgedp.graph.migrate", mode = Mode.SCHEMA)
    @Description("Bring the ledgers of an older edgedp to this version; what was spent stays spent.")
    public Stream<Listed> migrate() {
        Call call = call();
        new Schema(call).migrate();
        return listed(call);
    }

    private static Stream<Listed> listed(Call call) {
        List<Map<String, Object>> rows = call.inner().read(GraphProcedures::ofNow);
        List<Account> accounts = Account.of(call, rows);
        return IntStream.range(0, rows.size()).mapToObj(row -> new Listed(rows.get(row), accounts.get(row)));
    }

    /** The listed rows; the nodes of a registered graph are counted now, for they may have changed. */
    private static List<Map<String, Object>> ofNow(Transaction transaction) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Map<String, Object> row : rows(transaction, "graph_list", Map.of())) {
            Map<String, Object> now = new HashMap<>(row);
            if (!Boolean.TRUE.equals(row.get("loaded")) && !AT_ADDRESS.equals(row.get("nodeLabel"))) {
                Map<String, String> place = GraphEntry.counted(row);
                now.putAll(Map.of("nodeCount", rows(transaction, "node_count", place, Map.of()).get(0).get("nodes")));
            }
            rows.add(now);
        }
        return rows;
    }
}
