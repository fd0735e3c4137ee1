package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** Which graphs there are: the curator's procedures. */
public final class GraphProcedures extends ProcedureBase {
    /** The public facts of one graph. */
    public static final class Listed {
        /** Name of the graph. */
        public final String name;
        /** Number of nodes. */
        public final Long nodeCount;
        /** The public degree bound; n - 1 where none is declared. */
        public final Long degreeBound;
        /** What may be spent; null if nothing is declared. */
        public final Double epsilonBudget;
        /** What was spent. */
        public final Double epsilonSpent;
        /** Delta of a budget that is declared as (epsilon, delta); null for a pure one. */
        public final Double delta;

        Listed(Map<String, Object> row, Account account) {
            name = (String) row.get("name");
            nodeCount = (Long) row.get("nodeCount");
            Long declared = (Long) row.get("degreeBound");
            long most = Math.max(nodeCount - 1, 0);
            degreeBound = declared == null ? most : Math.min(declared, most);
            epsilonBudget = account.budget();
            epsilonSpent = account.spent();
            delta = account.delta();
        }
    }

    /** Register a graph. */
    @Procedure(name = "edgedp.graph.register", mode = Mode.SCHEMA)
    @Description("Register a graph that is already in the database, declare what is public of it and its budget.")
    public Stream<Listed> register(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(
                            value = "configuration",
                            description = "nodeLabel, relationshipType, idProperty, degreeBound, epsilonBudget, "
                                    + "maxEpsilonPerRelease, delta.")
                    Map<String, Object> configuration) {
        Call call = call();
        new Registry(call).register(name, configuration);
        return listed(call).filter(graph -> graph.name.equals(name));
    }

    /** List the graphs. */
    @Procedure(name = "edgedp.graph.list", mode = Mode.READ)
    @Description("Return the public facts of every graph.")
    public Stream<Listed> list() {
        return listed(call());
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
        Stream<Listed> before = listed(call).filter(graph -> graph.name.equals(name));
        new Registry(call).drop(name);
        return before;
    }

    private static Stream<Listed> listed(Call call) {
        List<Map<String, Object>> rows = call.inner().read(transaction -> rows(transaction, "graph_list", Map.of()));
        List<Account> accounts = Account.of(call, rows);
        return IntStream.range(0, rows.size()).mapToObj(row -> new Listed(rows.get(row), accounts.get(row)));
    }
}
