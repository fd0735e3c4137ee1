package org.edgedp.neo4j;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

/**
 * What an account holds, as it is shown. The ledger itself counts in integers of its currency; the worker says what they
 * are in epsilon.
 *
 * @param budget what may be spent; null if nothing is declared
 * @param spent what was spent
 * @param remaining what is left; null if nothing is declared
 * @param delta of a budget that is declared as (epsilon, delta); null for a pure one
 * @param problem what is wrong with it, where it does not add up; else null
 */
record Account(Double budget, Double spent, Double remaining, Double delta, String problem) {
    private static final String ATTRIBUTES = "\tattributes";

    /** Return the name by which the ledger keeps a graph's second account, as Python's {@code account_of} does. */
    static String attributes(String name) {
        return Call.named(name) + ATTRIBUTES;
    }

    /** Whether a name is one that {@link #attributes} returns: an account's, and no graph's. */
    static boolean isSecond(String name) {
        return name.endsWith(ATTRIBUTES);
    }

    /** Return the account of a name. */
    static Account of(Call call, String name) {
        return of(call, List.of(call.account(name))).get(0);
    }

    /** Return the accounts of rows that hold an account's columns. */
    static List<Account> of(Call call, List<Map<String, Object>> rows) {
        ObjectNode request = Frame.request("accounts");
        request.set("rows", Frame.toJson(rows));
        return StreamSupport.stream(call.ask(request).header().get("accounts").spliterator(), false)
                .map(Account::of)
                .toList();
    }

    private static Account of(JsonNode shown) {
        return new Account(
                amount(shown, "epsilon_budget"),
                amount(shown, "epsilon_spent"),
                amount(shown, "epsilon_remaining"),
                amount(shown, "delta"),
                shown.hasNonNull("problem") ? shown.get("problem").textValue() : null);
    }

    private static Double amount(JsonNode shown, String key) {
        return shown.hasNonNull(key) ? (Double) shown.get(key).doubleValue() : null;
    }
}
