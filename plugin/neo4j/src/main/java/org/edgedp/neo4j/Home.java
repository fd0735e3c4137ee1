package org.edgedp.neo4j;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** Where the server lives, by what it says of itself, by its command line, or by where the jar lies. */
final class Home {
    private static final String CONFIG_OPTION = "--config-dir=";
    private static volatile Path told;

    private Home() {}

    /** Remember what the server's own configuration says; the surest source, where the server offers it. */
    static void tell(Path home) {
        told = home;
    }

    static Path find() {
        Path known = told;
        return known != null ? known : fromCommandLine().orElseGet(Home::besideJar);
    }

    private static Optional<Path> fromCommandLine() {
        return ProcessHandle.current().info().arguments().stream()
                .flatMap(Arrays::stream)
                .filter(argument -> argument.startsWith(CONFIG_OPTION))
                .map(argument -> Path.of(argument.substring(CONFIG_OPTION.length())).toAbsolutePath().getParent())
                .findFirst();
    }

    private static Path besideJar() {
        try {
            Path jar = Path.of(Home.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            return jar.getParent().getParent();
        } catch (URISyntaxException error) {
            throw new EdgeDPException("the home of Neo4j cannot be found; start the server with " + CONFIG_OPTION);
        }
    }
}
