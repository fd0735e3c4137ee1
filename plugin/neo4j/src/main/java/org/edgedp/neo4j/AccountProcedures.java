package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** Accounts of relationship types, whatever graphs read them: the curator's procedure. */
public final class AccountProcedures extends ProcedureBase {
    /** Who may not call this one may not declare budgets by another way either. */
    private static final String CURATORS = "edgedp.graph.setBudget";

    /** An account: public facts. */
    public static final class Declared {
        /** Its name in the ledger. */
        public final String account;
        /** The relationship types that it is for; empty for a loaded graph's. */
        public final List<Object> relationshipTypes;
        /** What may be spent; null if nothing is declared. */
        public final Double epsilonBudget;
        /** What was spent. */
        public final Double epsilonSpent;
        /** What is left; null if nothing is declared. */
        public final Double epsilonRemaining;
        /** What a release protects at its epsilon: pair, source or target. */
        public final String protect;
        /** The graphs whose releases debit it. */
        public final List<Object> graphs;

        @SuppressWarnings("unchecked")
        Declared(JsonNode told) {
            account = told.get("account").textValue();
            relationshipTypes = Frame.JSON.convertValue(told.get("relationship_types"), List.class);
            epsilonBudget = amount(told, "epsilon_budget");
            epsilonSpent = amount(told, "epsilon_spent");
            epsilonRemaining = amount(told, "epsilon_remaining");
            protect = told.path("protect").asText("pair");
            graphs = Frame.JSON.convertValue(told.get("graphs"), List.class);
        }

        private static Double amount(JsonNode told, String key) {
            return told.hasNonNull(key) ? (Double) told.get(key).doubleValue() : null;
        }
    }

    /** Declare an account. */
    @Procedure(name = "edgedp.account.declare", mode = Mode.SCHEMA)
    @Description("Declare the account of a relationship type, which every graph over the type debits, or show it.")
    public Stream<Declared> declare(
            @Name(value = "name", description = "The relationship type, or the name of a graph that has an account.")
                    String name,
            @Name(
                            value = "configuration",
                            defaultValue = "{}",
                            description = "epsilonBudget, protect, dates, within, delta, maxEpsilonPerRelease.")
                    Map<String, Object> configuration) {
        Call call = call();
        if (!call.mayCall(CURATORS)) {
            throw new EdgeDPException("edgedp.account.declare is for those who may call " + CURATORS
                    + ", which the database does not allow you; ask the curator");
        }
        new Schema(call).migrate();
        ObjectNode request = Call.request("account_script", configuration).put("name", Call.named(name));
        Registry.readPlaces(call, request);
        request.set("graphs", call.inner().read(Registry::stored));
        JsonNode answer = call.ask(request).header();
        String account = answer.get("account").textValue();
        if (!answer.get("script").isNull()) {
            call.run(account, null, answer.get("script"));
        }
        ObjectNode shown = Frame.request("account");
        shown.set("row", Frame.toJson(call.inner()
                .read(transaction -> rows(transaction, "account_find", Map.of("name", account)))
                .get(0)));
        shown.set("graphs", answer.get("graphs"));
        return Stream.of(new Declared(call.ask(shown).header()));
    }
}
