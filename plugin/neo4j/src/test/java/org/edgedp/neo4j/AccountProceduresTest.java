package org.edgedp.neo4j;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Result;
import org.neo4j.graphdb.Transaction;
import org.neo4j.logging.Log;
import org.neo4j.procedure.memory.ProcedureMemory;

/** Who may declare an account. The Community edition allows everybody everything: no server of the tests refuses. */
class AccountProceduresTest {
    private static <T> T standIn(Class<T> kind, Map<String, Object> answers) {
        return kind.cast(Proxy.newProxyInstance(
                AccountProceduresTest.class.getClassLoader(),
                new Class<?>[] {kind},
                (self, method, given) -> answers.get(method.getName())));
    }

    /** In a database whose statements return no row: the caller may call nothing. */
    @Test
    void whoMayDeclareNoBudgetDeclaresNoAccount() {
        Result none = standIn(Result.class, Map.of("stream", Stream.empty()));
        Result learnt = standIn(Result.class, Map.of("stream", Stream.empty()));
        AccountProcedures asked = new AccountProcedures();
        asked.transaction = standIn(Transaction.class, Map.of("execute", none));
        asked.database = standIn(
                GraphDatabaseService.class,
                Map.of("beginTx", standIn(Transaction.class, Map.of("execute", learnt))));
        asked.guard = () -> {};
        asked.log = standIn(Log.class, Map.of());
        asked.memory = standIn(ProcedureMemory.class, Map.of());
        String said = assertThrows(EdgeDPException.class, () -> asked.declare("KNOWS", Map.of()))
                .getMessage();
        assertTrue(said.startsWith("edgedp.account.declare is for those who may call edgedp.graph.setBudget, "), said);
    }
}
