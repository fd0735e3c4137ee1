package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;

/** The version of edgedp's own nodes in the database; Python decides what it must be and how to get there. */
final class Schema {
    private static final List<String> OLD_READS =
            List.of("schema_version", "old_graphs", "old_ledgers", "old_releases", "old_changes");
    private static final int TRIES = 20;
    private static final String NOT_YET = "the ledgers of this database are of an older edgedp, must be migrated; "
            + "call edgedp.graph.migrate(), or run any command of edgedp on it";

    private static final String UNGUARDED = "constraints of edgedp's ledgers are missing, which somebody dropped; "
            + "nothing was spent; call edgedp.graph.migrate(), which makes them again";

    /** The version that a worker called the present one; null until it was asked. */
    private static volatile Long present;

    /** The constraints that this version needs, as a worker named them. */
    private static volatile List<String> constraints = List.of();

    private final Call call;

    Schema(Call call) {
        this.call = call;
    }

    /** Refuse a database of another version; one that edgedp never wrote to has nothing to find. */
    void check() {
        JsonNode state = state();
        if (!state.path("current").asBoolean() && !state.path("fresh").asBoolean()) {
            throw new EdgeDPException(NOT_YET);
        }
        if (state.path("current").asBoolean() && !guarded()) {
            throw new EdgeDPException(UNGUARDED);
        }
    }

    /** Bring the database to the present version; needs the right to change its schema. */
    void migrate() {
        for (int attempt = 0; attempt < TRIES; attempt++) {
            JsonNode state = state();
            if (state.path("current").asBoolean() && guarded()) {
                return;
            }
            ObjectNode request = Frame.request("migrate");
            ObjectNode found = request.putObject("rows");
            List<String> reads = attempt == 0 && state.path("fresh").asBoolean() ? List.of() : OLD_READS;
            call.inner().read(transaction -> {
                reads.forEach(name -> found.set(name, Frame.toJson(rows(transaction, name, Map.of()))));
                return null;
            });
            JsonNode way = call.ask(request).header();
            for (JsonNode statements : way.get("before")) {
                call.inner().commit(transaction -> {
                    statements.forEach(statement -> rows(transaction, statement.textValue(), Map.of()));
                    return null;
                });
            }
            call.inner().run(Script.of(way.get("script")));
        }
        throw new EdgeDPException(
                "the database is written by edgedp 0.1.0 all the time; stop it, then call this again");
    }

    /**
     * Whether every constraint that the ledgers need is there. A procedure may not run SHOW CONSTRAINTS, and a list of
     * all constraints waits for every transaction that changes one of somebody else's.
     */
    private boolean guarded() {
        List<String> names = constraints;
        return call.inner()
                .read(transaction -> names.stream().allMatch(name -> isThere(transaction.schema(), name)));
    }

    private static boolean isThere(org.neo4j.graphdb.schema.Schema schema, String constraint) {
        try {
            schema.getConstraintByName(constraint);
            return true;
        } catch (IllegalArgumentException missing) {
            return false;
        }
    }

    private JsonNode state() {
        ObjectNode request = Frame.request("version");
        call.inner().read(transaction -> {
            List<Map<String, Object>> found = rows(transaction, "schema_version", Map.of());
            request.set("version", Frame.toJson(found.isEmpty() ? null : found.get(0).get("version")));
            request.set("old", Frame.toJson(rows(transaction, "schema_old", Map.of()).get(0).get("old")));
            return null;
        });
        JsonNode version = request.get("version");
        if (version.isIntegralNumber()
                && Long.valueOf(version.longValue()).equals(present)
                && !request.get("old").asBoolean()) {
            return Frame.JSON.createObjectNode().put("current", true);
        }
        JsonNode answer = call.ask(request).header();
        if (answer.get("current").asBoolean()) {
            constraints = Frame.JSON.convertValue(answer.get("constraints"), new TypeReference<List<String>>() {});
            present = version.longValue();
        }
        return answer;
    }
}
