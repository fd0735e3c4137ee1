package org.edgedp.neo4j;

import org.neo4j.configuration.Config;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.kernel.extension.ExtensionFactory;
import org.neo4j.kernel.extension.ExtensionType;
import org.neo4j.kernel.extension.context.ExtensionContext;
import org.neo4j.kernel.lifecycle.Lifecycle;
import org.neo4j.kernel.lifecycle.LifecycleAdapter;
import org.neo4j.logging.Log;
import org.neo4j.logging.internal.LogService;

/**
 * Learns the home of the server at its start, where it warms up what first calls need, and ends the workers at its stop.
 *
 * <p>Neo4j finds it where {@code plugins/} is on the class path. Elsewhere the JVM's shutdown hook and the workers'
 * own watch over their standard input do the same. Nothing here may throw: that would stop the server.
 */
public final class WorkerLifecycle extends ExtensionFactory<WorkerLifecycle.Dependencies> {
    /** What Neo4j hands in. */
    public interface Dependencies {
        /** The server's configuration. */
        Config config();

        /** The server's databases. */
        DatabaseManagementService databases();

        /** The server's log. */
        LogService logs();
    }

    /** Called by the service loader. */
    public WorkerLifecycle() {
        super(ExtensionType.GLOBAL, "edgedp");
    }

    @Override
    public Lifecycle newInstance(ExtensionContext context, Dependencies dependencies) {
        return new LifecycleAdapter() {
            @Override
            public void start() {
                Home.tell(dependencies.config().get(GraphDatabaseSettings.neo4j_home));
                Log log = dependencies.logs().getUserLog(WorkerLifecycle.class);
                WarmUp.begin(dependencies.databases(), log);
            }

            @Override
            public void stop() {
                WorkerPool.closeCurrent();
            }
        };
    }
}
