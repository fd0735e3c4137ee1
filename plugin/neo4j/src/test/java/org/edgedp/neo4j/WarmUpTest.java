package org.edgedp.neo4j;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What is planned when the server starts. */
class WarmUpTest {
    @Test
    void everyStatementIsThereAndIsPlannedAsItStands() throws IOException {
        for (String each : WarmUp.PLANNED) {
            try (InputStream file = WarmUp.class.getResourceAsStream("/queries/neo4j/" + each + ".cypher")) {
                assertNotNull(file, each);
                String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
                assertFalse(text.contains("{{"), each + " is of names that nobody knows yet");
            }
        }
    }
}
