package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.neo4j.graphdb.Transaction;

/**
 * Statements that one transaction runs under a ledger's lock, as the worker handed them out.
 *
 * <p>Nothing is decided here: the first step whose outcome fires ends the script, and what an outcome means is asked of
 * the worker when no lock is held.
 *
 * @param steps in this order
 * @param done the outcome that stands when none of theirs fired, the only one that is committed
 */
record Script(List<Step> steps, String done) {
    private static final TypeReference<Map<String, Object>> PARAMETERS = new TypeReference<>() {};
    private static final String LOCK = "_lock";
    private static final String OPEN = "_open";

    /**
     * One statement.
     *
     * @param onRow the outcome if it returns a row, or null to go on
     * @param onNone the outcome if it returns none, or null to go on
     */
    record Step(String statement, Map<String, Object> parameters, String onRow, String onNone) {
        /** Whether the statement waits for the ledger or the registry to be free. */
        boolean locks() {
            return statement.endsWith(LOCK) || statement.endsWith(OPEN);
        }
    }

    /**
     * How a script ended.
     *
     * @param name of the outcome
     * @param rows of the statements, by name
     * @param done whether it is the one that is committed
     */
    record Outcome(String name, ObjectNode rows, boolean done) {}

    static Script of(JsonNode script) {
        List<Step> steps = StreamSupport.stream(script.get("steps").spliterator(), false)
                .map(step -> new Step(
                        step.get("statement").textValue(),
                        Frame.JSON.convertValue(step.get("parameters"), PARAMETERS),
                        step.get("on_row").textValue(),
                        step.get("on_none").textValue()))
                .toList();
        return new Script(steps, script.get("done").textValue());
    }

    /** Run the steps; {@code watch} knows when a lock is being waited for. The caller commits or rolls back. */
    Outcome run(Transaction transaction, Watch watch) {
        ObjectNode kept = Frame.JSON.createObjectNode();
        for (Step step : steps) {
            List<Map<String, Object>> found = step.locks()
                    ? watch.waitingFor(() -> rows(transaction, step.statement(), step.parameters()))
                    : rows(transaction, step.statement(), step.parameters());
            kept.set(step.statement(), Frame.toJson(found));
            String fired = found.isEmpty() ? step.onNone() : step.onRow();
            if (fired != null) {
                return new Outcome(fired, kept, fired.equals(done));
            }
        }
        return new Outcome(done, kept, true);
    }
}
