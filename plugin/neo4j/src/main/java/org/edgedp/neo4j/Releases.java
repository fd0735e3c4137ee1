package org.edgedp.neo4j;

import static org.edgedp.neo4j.Statements.rows;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The releases of a graph by pages: account after account, by the numbers of their rows, and never by a time. */
final class Releases {
    private static final long MOST = 500;

    private final Call call;

    private Releases(Call call) {
        this.call = call;
    }

    /** Return the rows of a graph's releases, read as they are asked for; since is the last release before them, or null. */
    static Stream<Map<String, Object>> of(Call call, String name, String since) {
        Releases releases = new Releases(call);
        List<String> accounts = List.of(name, Account.attributes(name));
        if (since == null) {
            return accounts.stream().flatMap(account -> releases.after(account, 0));
        }
        List<Map<String, Object>> found = releases.read("release_find", Map.of("releaseId", since));
        int at = found.isEmpty() ? -1 : accounts.indexOf((String) found.get(0).get("name"));
        if (at < 0) {
            throw new EdgeDPException("since must be the releaseId of a release of this graph; take it from the page before");
        }
        Stream<Map<String, Object>> rest = releases.after(accounts.get(at), (Long) found.get(0).get("seq"));
        return Stream.concat(
                rest, accounts.stream().skip(at + 1).flatMap(account -> releases.after(account, 0)));
    }

    private Stream<Map<String, Object>> after(String account, long since) {
        return Stream.iterate(page(account, since), page -> !page.isEmpty(), page -> page.size() < MOST
                        ? List.of()
                        : page(account, (Long) page.get(page.size() - 1).get("seq")))
                .flatMap(List::stream)
                // what a release from another account cost this one besides
                .filter(row -> !Frame.fromBody((String) row.get("body")).containsKey("part_of"));
    }

    private List<Map<String, Object>> page(String account, long since) {
        return read("release_page", Map.of("name", account, "since", since, "limit", MOST));
    }

    private List<Map<String, Object>> read(String statement, Map<String, Object> parameters) {
        return call.inner().read(transaction -> rows(transaction, statement, parameters));
    }
}
