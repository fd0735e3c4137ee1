package org.edgedp.neo4j;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The Cypher of the project, the files that Python runs: {@code queries/} travels in the jar. */
final class Statements {
    private static final Map<String, String> READ = new ConcurrentHashMap<>();

    private Statements() {}

    /** Return a statement of {@code queries/neo4j} or {@code queries/common}, without its header. */
    static String statement(String name) {
        return READ.computeIfAbsent(name, Statements::read);
    }

    private static String read(String name) {
        String file = Stream.of("neo4j", "common")
                .map(folder -> "/queries/" + folder + "/" + name + ".cypher")
                .filter(path -> Statements.class.getResource(path) != null)
                .findFirst()
                .orElseThrow(() -> new EdgeDPException("the statement " + name + " is not in the jar; build it again"));
        try (InputStream resource = Statements.class.getResourceAsStream(file)) {
            return new String(resource.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.stripLeading().startsWith("//"))
                    .collect(Collectors.joining("\n"));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
