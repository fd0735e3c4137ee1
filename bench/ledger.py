"""What a long ledger costs: a debit, a budget, pages of releases and of the log, with 6, 10,000 and 100,000 rows.

``python bench/ledger.py [--rows 6,10000,100000] [--rounds 15] [--neo4j] [--json FILE]``. The rows are written by the
store's own statements (in Neo4j they are copies of such rows, under numbers and totals of their own), so that chains,
totals and seals are what releases leave. Embedded: processor time of this process. Neo4j: wall time of the call, the
server on this machine. Of the rounds the median.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edgedp import Graph, Store, open_store
from edgedp.ledger import ledger

ROOT = Path(__file__).parents[1]
ASKED = {"metric": "degree", "k": 1, "epsilon": "0.000001"}
BATCH = 5_000


def opened(place: str, **given: Any) -> Store:
    store = open_store(place, **given)
    store.load(Graph.from_edges([(1, 2), (2, 3), (3, 4)]), "path", epsilon_budget=10)
    store.add_analyst("ann")
    store.grant("path", "ann", epsilon_budget=5)
    store.priv_top_k("path", **ASKED)
    store.asking_as("ann").priv_top_k("path", **ASKED)
    return store


def fill_embedded(store: Store, rows: int) -> None:
    """Write debits and answers, in one transaction, by the statements that releases run."""
    with store._session() as session:
        answer, debit = session.run("log_list", name="path")[-1:-3:-1]
        amounts = {"name": "path", "cost": debit["cost"], "price": 1, "whole": debit["cost"]}
        amounts |= {"within": None, "firstWindow": None, "lastWindow": None}
        row = {"by": debit["by"], "at": ledger.now(), "requestId": None, "analyst": ""}
        with session.transaction() as tx:
            for _ in range((rows - answer["seq"]) // 2):
                named = {"releaseId": ledger.new_release_id()}
                tx.run("account_debit", **amounts)
                tx.run("log_debit", **amounts, **row, **named, body=debit["body"])
                tx.run("account_next", name="path")
                tx.run("log_answer", name="path", at=row["at"], by=row["by"], body=answer["body"], **named)


def fill_neo4j(store: Store, ask: Callable[..., Any], rows: int) -> None:
    """Write copies of the last debit and answer of a direct caller, with numbers, ids and totals of their own."""
    (kept,) = ask("MATCH (a:EdgeDPAccount {name: 'path'}) RETURN a{.*} AS row")
    account = dict(kept["row"])
    pair = ask(
        "MATCH (e:EdgeDPEntry {name: 'path'}) WHERE e.kind IN ['debit', 'answer'] AND coalesce(e.analyst, '') = '' "
        "RETURN e{.*} AS row ORDER BY e.seq LIMIT 2"
    )
    debit, answer = (dict(each["row"]) for each in pair)
    seq, total, made = account["entries"], account["spent"], []
    while seq + 2 <= rows:
        named, total = {"releaseId": ledger.new_release_id()}, total + debit["charge"]
        made += [
            debit | named | {"seq": seq + 1, "total": total},
            answer | named | {"seq": seq + 2, "total": total},
        ]
        seq += 2
        if len(made) >= BATCH or seq + 2 > rows:
            ask("UNWIND $made AS row CREATE (e:EdgeDPEntry) SET e = row", made=made)
            made = []
    ask("MATCH (a:EdgeDPAccount {name: 'path'}) SET a.entries = $seq, a.spent = $total", seq=seq, total=total)


def questions(store: Store) -> Mapping[str, Callable[[], object]]:
    ann = store.asking_as("ann")
    entries = store.log("path", limit=1, since=0)[0]["seq"]
    own = ann.releases(limit=1)[0]["release_id"]
    half = max(store.budget("path")["releases"] - entries, 0)
    return {
        "release (debit, draw, answer)": lambda: store.priv_top_k("path", **ASKED),
        "release out of a share": lambda: ann.priv_top_k("path", **ASKED),
        "`budget`": lambda: store.budget("path"),
        "`graphs`": store.graphs,
        "`releases`, the first 20": lambda: store.releases("path", limit=20),
        "`releases` of an analyst, the first 20": lambda: ann.releases(limit=20),
        "who asked, the newest 20": lambda: store.asked("path", limit=20),
        "one release by its id": lambda: ann.release(own),
        "`log`, 20 rows in the middle": lambda: store.log("path", limit=20, since=half),
        "`head`": lambda: store.head("path"),
    }


def measured(store: Store, rounds: int, clock: Callable[[], float]) -> dict[str, float]:
    """Return the median of each question in seconds, asked in turn; `check` is asked once."""
    found: dict[str, list[float]] = {}
    asked = questions(store)
    for number in range(rounds + 2):
        for name, ask in asked.items():
            began = clock()
            ask()
            if number >= 2:
                found.setdefault(name, []).append(clock() - began)
    medians = {name: statistics.median(times) for name, times in found.items()}
    began = clock()
    assert store.check("path") == []
    return medians | {"`check` (reads all)": clock() - began}


def embedded(rows: list[int], rounds: int) -> Iterator[tuple[int, dict[str, float]]]:
    for count in rows:
        with tempfile.TemporaryDirectory() as folder, opened(f"{folder}/store") as store:
            fill_embedded(store, count)
            yield count, measured(store, rounds, time.process_time)


@contextmanager
def server() -> Iterator[Any]:
    sys.path.append(str(ROOT / "tests" / "support"))
    from neo4jserver import start

    with start() as running:
        yield running


def neo4j(rows: list[int], rounds: int) -> Iterator[tuple[int, dict[str, float]]]:
    with (
        server() as running,
        running.driver(notifications_min_severity="OFF") as driver,
        driver.session() as session,
    ):

        def ask(statement: str, **parameters: Any) -> Any:
            return session.run(statement, parameters).data()

        for count in rows:
            running.wipe()
            with opened(running.uri, auth=running.auth) as store:
                fill_neo4j(store, ask, count)
                yield count, measured(store, rounds, time.perf_counter)


def table(found: Mapping[int, Mapping[str, float]]) -> str:
    """Return milliseconds by question and number of rows, and the last beside the first."""
    counts = sorted(found)
    lines = [
        "| ms | " + " | ".join(f"{count:,} rows" for count in counts) + " | last / first |",
        "|---|" + "---|" * (len(counts) + 1),
    ]
    for name in found[counts[0]]:
        times = [found[count][name] * 1000 for count in counts]
        lines.append(
            f"| {name} | " + " | ".join(f"{each:.1f}" for each in times) + f" | {times[-1] / times[0]:.2f} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", default="6,10000,100000")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--neo4j", action="store_true")
    parser.add_argument("--json", type=Path, help="keep the seconds here")
    asked = parser.parse_args()
    rows = [int(each) for each in asked.rows.split(",")]
    found: dict[int, dict[str, float]] = {}
    for count, seconds in (neo4j if asked.neo4j else embedded)(rows, asked.rounds):
        found[count] = seconds
        print(table(found), flush=True)
        if asked.json is not None:
            asked.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
