package org.edgedp.neo4j;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** What was spent, and what was released for it: public facts. */
public final class BudgetProcedures extends ProcedureBase {
    /** A graph's ledger. */
    public static final class Budget {
        /** What may be spent; null if nothing is declared. */
        public final Double epsilonBudget;
        /** What was spent. */
        public final Double epsilonSpent;
        /** What is left; null if nothing is declared. */
        public final Double epsilonRemaining;
        /** Number of releases. */
        public final long releases;
        /** Delta of a budget that is declared as (epsilon, delta); null for a pure one. */
        public final Double delta;

        /** The same of the account of the nodes' properties, null if it was never opened; never added to the edges'. */
        public final Map<String, Object> attributes;

        /** Of a graph that owns no budget every account that its releases debit; the least is shown above. Else null. */
        public final List<Object> accounts;

        Budget(Account account, long releases, Map<String, Object> attributes, List<Object> accounts) {
            this.accounts = accounts;
            this.epsilonBudget = account.budget();
            this.epsilonSpent = account.spent();
            this.epsilonRemaining = account.remaining();
            this.releases = releases;
            this.delta = account.delta();
            this.attributes = attributes;
        }
    }

    /** One release of a graph. */
    public static final class Kept {
        /** Identifier of the release. */
        public final String releaseId;
        /** When it was debited, ISO 8601 in UTC. */
        public final String at;
        /** What was asked, with every default filled in. */
        public final Map<String, Object> parameters;
        /** Node ids in the order picked; null if it was debited and never drawn, or is no list of nodes. */
        public final List<Object> ids;
        /** What was released; null if it was debited and never drawn. */
        public final Map<String, Object> answer;

        @SuppressWarnings("unchecked")
        Kept(Map<String, Object> row) {
            releaseId = (String) row.get("releaseId");
            at = (String) row.get("at");
            Map<String, Object> asked = Frame.fromBody((String) row.get("body"));
            parameters = new LinkedHashMap<>();
            parameters.put("selector", asked.get("kind"));
            parameters.putAll((Map<String, Object>) asked.get("parameters"));
            String kept = (String) row.get("answer");
            answer = kept == null ? null : Frame.fromBody(kept);
            ids = answer == null ? null : (List<Object>) answer.get("nodes");
        }
    }

    /** Tell a graph's budget. */
    @Procedure(name = "edgedp.budget", mode = Mode.READ)
    @Description("Return the privacy budget of a graph, what was spent of it and in how many releases.")
    public Stream<Budget> budget(@Name(value = "name", description = "Name of the graph.") String name) {
        Call call = call();
        new Schema(call).check();
        return budget(call, name);
    }

    static Stream<Budget> budget(Call call, String name) {
        Account account = sound(call, name);
        List<String> several = call.inner()
                .read(transaction -> GraphEntry.find(transaction, name))
                .map(GraphEntry::accounts)
                .orElse(List.of());
        Map<String, Account> accounts = new LinkedHashMap<>();
        several.forEach(each -> accounts.put(each, sound(call, each)));
        Account least = accounts.values().stream()
                .min(Comparator.comparing(Account::remaining, Comparator.nullsFirst(Comparator.naturalOrder())))
                .orElse(account);
        List<Object> shown = accounts.isEmpty() ? null : accounts.entrySet().stream().map(BudgetProcedures::shown).toList();
        return Stream.of(new Budget(least, releases(call, name), attributes(call, name), shown));
    }

    /** Return an account that is what its log says. */
    private static Account sound(Call call, String name) {
        Account account = Account.of(call, name);
        if (account.problem() != null || call.read("account_adds_up", name).isEmpty()) {
            throw call.refused(
                    Frame.request("curator_refusal").put("name", name).put("outcome", "broken"));
        }
        return account;
    }

    private static Object shown(Map.Entry<String, Account> each) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("account", each.getKey());
        shown.put("epsilonBudget", each.getValue().budget());
        shown.put("epsilonSpent", each.getValue().spent());
        shown.put("epsilonRemaining", each.getValue().remaining());
        return shown;
    }

    private static long releases(Call call, String name) {
        return (Long) call.read("release_count", name).get(0).get("releases");
    }

    private static Map<String, Object> attributes(Call call, String name) {
        String ledger = Account.attributes(name);
        List<Map<String, Object>> found = call.read("account_find", ledger);
        if (found.isEmpty()) {
            return null;
        }
        Map<String, Object> shown = new LinkedHashMap<>();
        Account account = Account.of(call, found).get(0);
        shown.put("epsilonBudget", account.budget());
        shown.put("epsilonSpent", account.spent());
        shown.put("epsilonRemaining", account.remaining());
        shown.put("releases", releases(call, ledger));
        if (account.problem() != null) {
            shown.put("problem", account.problem());
        }
        return shown;
    }

    /** Tell a graph's releases. */
    @Procedure(name = "edgedp.releases", mode = Mode.READ)
    @Description("Return the releases of a graph in the order of their debits, those from its edges first; reading one "
            + "again costs nothing.")
    public Stream<Kept> releases(
            @Name(value = "name", description = "Name of the graph.") String name,
            @Name(
                            value = "configuration",
                            defaultValue = "{}",
                            description = "limit: how many at most; since: releaseId of the last one of the page before.")
                    Map<String, Object> configuration) {
        Call call = call();
        new Schema(call).check();
        call.account(name);
        JsonNode page = call.ask(Call.request("page", configuration).put("of", "releases")).header();
        Stream<Kept> found = Releases.of(call, name, page.path("since").textValue()).map(Kept::new);
        return page.hasNonNull("limit") ? found.limit(page.get("limit").longValue()) : found;
    }
}
