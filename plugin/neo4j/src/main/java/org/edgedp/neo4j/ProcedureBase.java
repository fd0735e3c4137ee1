package org.edgedp.neo4j;

import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;
import org.neo4j.logging.Log;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;

/** What Neo4j hands to every procedure of this plugin. */
public abstract class ProcedureBase {
    /** The database that the caller is in. */
    @Context
    public GraphDatabaseService database;

    /** The caller's transaction. */
    @Context
    public Transaction transaction;

    /** Tells when the caller's query was terminated. */
    @Context
    public TerminationGuard guard;

    /** Neo4j's log. */
    @Context
    public Log log;

    /** Neo4j's account of the memory that procedures take. */
    @Context
    public ProcedureMemory memory;

    final Call call() {
        return Call.of(database, transaction, guard, log, memory);
    }
}
