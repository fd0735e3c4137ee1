package org.edgedp.neo4j;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.neo4j.graphdb.QueryExecutionException;
import org.neo4j.graphdb.Result;
import org.neo4j.graphdb.Transaction;

/** The Cypher of the project, the files that Python runs: {@code queries/neo4j} travels in the jar. */
final class Statements {
    private static final Map<String, String> READ = new ConcurrentHashMap<>();
    private static final String NO_SUCH_PROCEDURE = "Neo.ClientError.Procedure.ProcedureNotFound";

    /** Whether the server authenticates its users; null until it was asked. It holds until the server is started anew. */
    private static volatile Boolean authenticates;

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{(\\w+)\\}\\}");

    private Statements() {}

    /** Find out, once, whether the server authenticates its users: where it does not, nobody's name can be asked for. */
    static void learn(InnerTransactions inner) {
        if (authenticates == null) {
            try {
                inner.read(transaction -> rows(transaction, "current_user", Map.of()));
                authenticates = true;
            } catch (QueryExecutionException refused) {
                if (!refused.getStatusCode().equals(NO_SUCH_PROCEDURE)) {
                    throw refused;
                }
                authenticates = false;
            }
        }
    }

    /** Return a statement of {@code queries/neo4j}, without its header. */
    private static String statement(String name) {
        String text = READ.computeIfAbsent(name, Statements::read);
        return Boolean.FALSE.equals(authenticates) ? text.replace(asking("current_user"), asking("no_user")) : text;
    }

    /** Return the line that asks who it is. */
    private static String asking(String name) {
        return READ.computeIfAbsent(name, Statements::read).lines().findFirst().orElseThrow();
    }

    /** Return a statement with its placeholders replaced by quoted names of labels, types and properties. */
    private static String statement(String name, Map<String, String> identifiers) {
        return PLACEHOLDER
                .matcher(statement(name))
                .replaceAll(found -> Matcher.quoteReplacement(quote(identifiers.get(found.group(1)))));
    }

    /** Run a statement that has no placeholders. */
    static List<Map<String, Object>> rows(Transaction transaction, String name, Map<String, Object> parameters) {
        return rows(transaction, name, Map.of(), parameters);
    }

    /** Plan a statement that has no placeholders, and do not run it. */
    static void plan(Transaction transaction, String name) {
        transaction.execute("EXPLAIN " + statement(name)).close();
    }

    /** Run a statement and return its rows. */
    static List<Map<String, Object>> rows(
            Transaction transaction, String name, Map<String, String> identifiers, Map<String, Object> parameters) {
        try (Result result = transaction.execute(statement(name, identifiers), parameters)) {
            return result.stream().toList();
        }
    }

    /** Run a statement, whose rows are read as they come; close it. */
    static Result result(
            Transaction transaction, String name, Map<String, String> identifiers, Map<String, Object> parameters) {
        return transaction.execute(statement(name, identifiers), parameters);
    }

    /** Quote identifiers, alternatives of each other, as {@code edgedp.stores.statements.queries} does: never an injection. */
    private static String quote(String identifiers) {
        return Arrays.stream(identifiers.split(GraphEntry.ALTERNATIVES))
                .map(Statements::quoteOne)
                .collect(Collectors.joining("|"));
    }

    private static String quoteOne(String identifier) {
        return "`" + identifier.replace("\\", "\\u005c").replace("`", "``") + "`";
    }

    private static String read(String name) {
        String file = "/queries/neo4j/" + name + ".cypher";
        try (InputStream resource = Statements.class.getResourceAsStream(file)) {
            if (resource == null) {
                throw new EdgeDPException("the statement " + name + " is not in the jar; build it again");
            }
            return new String(resource.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.stripLeading().startsWith("//"))
                    .collect(Collectors.joining("\n"));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
