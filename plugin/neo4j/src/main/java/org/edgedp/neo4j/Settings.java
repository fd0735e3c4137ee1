package org.edgedp.neo4j;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import org.neo4j.configuration.SettingValueParser;
import org.neo4j.configuration.SettingValueParsers;

/**
 * What {@code conf/edgedp.conf} says, in the notation of {@code neo4j.conf} ({@code 30s}, {@code 1g}).
 *
 * @param python the interpreter that has the package edgedp
 * @param workers how many workers at most
 * @param startLimit how long a worker may take to answer its first word
 * @param jobLimit how long one job may take, its wait for a free worker not counted
 * @param lockLimit how long a call waits for a ledger that others hold
 * @param transactionLimit how long a transaction on the ledger may take once it has it
 * @param frameLimit bytes of one message, hence of one graph
 * @param memoryLimit bytes that a worker may allocate; 0 is no limit
 * @param warm whether a worker and the plans of statements are made when the server starts
 * @param cache where the workers keep sensitivity profiles between their lives
 */
record Settings(
        String python,
        int workers,
        Duration startLimit,
        Duration jobLimit,
        Duration lockLimit,
        Duration transactionLimit,
        long frameLimit,
        long memoryLimit,
        boolean warm,
        Path cache) {
    /** Every key and its default; {@code docs/procedures.md} explains them. */
    private static final Map<String, String> DEFAULTS = Map.of(
            "worker.python", "python3",
            "worker.count", "2",
            "worker.start.timeout", "60s",
            "worker.job.timeout", "300s",
            "worker.frame.limit", "1g",
            "worker.memory.limit", "0",
            "worker.cache", "data/edgedp",
            "worker.warm", "true",
            "ledger.lock.timeout", "30s",
            "ledger.transaction.timeout", "600s");

    /** Read the file of a Neo4j home; the defaults hold where there is none. */
    static Settings read(Path home) {
        Path file = file(home);
        Properties properties = properties(file);
        Values values = new Values(file, properties);
        int workers = values.parsed("worker.count", SettingValueParsers.INT);
        if (workers < 1) {
            throw new EdgeDPException("worker.count is " + workers + ", must be 1 or more; correct it in " + file);
        }
        return new Settings(
                values.text("worker.python"),
                workers,
                values.parsed("worker.start.timeout", SettingValueParsers.DURATION),
                values.parsed("worker.job.timeout", SettingValueParsers.DURATION),
                values.parsed("ledger.lock.timeout", SettingValueParsers.DURATION),
                values.parsed("ledger.transaction.timeout", SettingValueParsers.DURATION),
                values.parsed("worker.frame.limit", SettingValueParsers.BYTES),
                values.parsed("worker.memory.limit", SettingValueParsers.BYTES),
                values.parsed("worker.warm", SettingValueParsers.BOOL),
                home.resolve(values.text("worker.cache")));
    }

    /** Every key with what holds now, whether the file or the default says it. */
    static SortedMap<String, String> effective(Path home) {
        Path file = file(home);
        Values values = new Values(file, properties(file));
        SortedMap<String, String> effective = new TreeMap<>();
        DEFAULTS.keySet().forEach(key -> effective.put(key, values.text(key)));
        return effective;
    }

    /** What holds where the file does not say. */
    static String byDefault(String key) {
        return DEFAULTS.get(key);
    }

    private static Path file(Path home) {
        return home.resolve("conf").resolve("edgedp.conf");
    }

    private static Properties properties(Path file) {
        Properties properties = new Once(file);
        if (Files.isRegularFile(file)) {
            try (Reader reader = Files.newBufferedReader(file)) {
                properties.load(reader);
            } catch (IOException | IllegalArgumentException error) {
                throw new EdgeDPException(file + " cannot be read, must be a properties file; see docs/procedures.md");
            }
        }
        for (String key : properties.stringPropertyNames()) {
            if (!DEFAULTS.containsKey(key)) {
                throw new EdgeDPException("the key " + key + " of " + file + " is not known, must be one of "
                        + String.join(", ", DEFAULTS.keySet().stream().sorted().toList()) + "; correct it");
            }
        }
        return properties;
    }

    /** Keys and values, where a key stands once: of two the last would hold in silence. */
    private static final class Once extends Properties {
        private static final long serialVersionUID = 1L;
        private final transient Path file;

        Once(Path file) {
            this.file = file;
        }

        @Override
        public synchronized Object put(Object key, Object value) {
            if (containsKey(key)) {
                throw new EdgeDPException("the key " + key + " is twice in " + file + ", must be there once; remove one");
            }
            return super.put(key, value);
        }
    }

    private record Values(Path file, Properties properties) {
        String text(String key) {
            return properties.getProperty(key, DEFAULTS.get(key)).strip();
        }

        <T> T parsed(String key, SettingValueParser<T> parser) {
            try {
                return parser.parse(text(key));
            } catch (IllegalArgumentException error) {
                throw new EdgeDPException(key + " is " + text(key) + ", must be " + parser.getDescription()
                        + "; correct it in " + file);
            }
        }
    }
}
