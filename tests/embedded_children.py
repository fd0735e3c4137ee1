"""Programs that tests run in processes of their own, to kill them or to let them compete."""

from __future__ import annotations

import os
import signal
import sys
import time

from edgedp import BudgetError, open_store


def compete(path: str, times: int, epsilon: str) -> None:
    """Ask again and again; print how many releases were granted."""
    store, granted = open_store(path), 0
    for _ in range(times):
        try:
            store.priv_top_k("kite", metric="degree", k=1, epsilon=epsilon)
            granted += 1
        except BudgetError:
            pass
    print(granted)


def die_in_draw(path: str) -> None:
    """Be killed between the debit and the answer."""
    import edgedp.draw

    edgedp.draw.draw = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[assignment]
    open_store(path).priv_top_k("kite", metric="degree", k=1, epsilon="0.25")


def die_in_load(path: str, statement: str) -> None:
    """Be killed right after one statement of a load."""
    from edgedp import Graph
    from edgedp.stores.embedded import EmbeddedTransaction

    run = EmbeddedTransaction.run

    def killing(self: EmbeddedTransaction, running: str, /, *rest: object, **parameters: object) -> object:
        result = run(self, running, *rest, **parameters)  # type: ignore[arg-type]
        if running == statement:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    EmbeddedTransaction.run = killing  # type: ignore[assignment, method-assign]
    open_store(path).load(Graph.from_edges([(10, 20)]), "kite", replace=True, epsilon_budget=3)


def fill_up(path: str, most: int) -> None:
    """Ask for a release where no file can grow beyond some bytes, as on a full disk."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    print(open_store(path).priv_top_k("kite", metric="degree", k=1, epsilon="0.01").nodes)


def hold(path: str, seconds: str) -> None:
    """Keep the store open."""
    with open_store(path)._backend.session():
        print("held", flush=True)
        time.sleep(float(seconds))


if __name__ == "__main__":
    globals()[sys.argv[1]](*[int(word) if word.isdigit() else word for word in sys.argv[2:]])
