package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Procedure;

/** What the plugin is and what can be called; nothing about graphs. */
public final class AboutProcedures extends ProcedureBase {
    /** The version. */
    public static final class Current {
        /** Version of the plugin. */
        public final String version = Version.CURRENT;
    }

    /** One procedure. */
    public static final class Helped {
        /** Name of the procedure. */
        public final String name;
        /** What it takes and yields. */
        public final String signature;
        /** What it does. */
        public final String description;

        Helped(Map<String, Object> row) {
            name = (String) row.get("name");
            signature = (String) row.get("signature");
            description = (String) row.get("description");
        }
    }

    /** Tell the version. */
    @Procedure(name = "edgedp.version", mode = Mode.READ)
    @Description("Return the version of edgedp on this server.")
    public Stream<Current> version() {
        return Stream.of(new Current());
    }

    /** Tell what can be called. */
    @Procedure(name = "edgedp.help", mode = Mode.READ)
    @Description("Return the procedures of edgedp that you may call, with what each takes, yields and does.")
    public Stream<Helped> help() {
        return rows(transaction, "help", Map.of()).stream().map(Helped::new);
    }
}
