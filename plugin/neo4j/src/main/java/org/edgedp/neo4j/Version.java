package org.edgedp.neo4j;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of the plugin, which its workers must share. */
final class Version {
    static final String CURRENT = read();

    private Version() {}

    private static String read() {
        try (InputStream resource = Version.class.getResourceAsStream("/edgedp-neo4j.properties")) {
            Properties properties = new Properties();
            properties.load(resource);
            return properties.getProperty("version");
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
