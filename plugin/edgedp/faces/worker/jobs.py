"""What the worker can be asked: one pure function a verb, from a frame to the answering frame.

================ ================================================ ==============================================
verb             request                                          answer
================ ================================================ ==============================================
about                                                             version, python
version          version, old                                     current, fresh
migrate          rows of what is there                            before (statements a transaction), script
unknown_graph    name, names                                      a refusal
plan             kind, config, writes, graph, survey, account,    plan, script, release_id, request_id, lease, write,
                 accounts, asked_before, attributes               property of a percentile
estimate         as plan, adds_up, attributes_account             what `Store.estimate` returns
judge            outcome, rows, name, plan, request_id            release_id, public, answer of a kept release
draw             name, release_id, plan, graph; a projection      answer, script, epsilon; array ``rows`` of nodes
accounts         rows of accounts                                 accounts, in epsilon
account          row, graphs                                      the account, as it is shown
log              rows of a log                                    entries, as they are shown
check            name, rows of a ledger                           problems
exact_script     name, graph, what                                script that notes an exact read
exact            config, graph; a projection                      array ``values``
sensitivity      config, graph; a projection                      array ``values``
attribute        config, graph, account, attributes               script, declared
register         name, config                                     graph, declared
check_graph      graph, declared, survey, unindexed; a projection graph, with its number of nodes; exact, warnings
register_script  graph, declared, account, last, attributes, rows script, graph with its accounts
account_script   name, config, rows, graphs                       account, graphs, script or null
set_budget       name, epsilon_budget, delta, graph, account      script
drop             graph, last                                      script
curator_refusal  outcome, rows, name, graph                       a refusal
================ ================================================ ==============================================

``graph`` is a row of ``graph_find``, ``accounts`` those of ``account_find`` of the graph's accounts, ``rows`` those
of the statements of `edgedp.ledger.sources.READS`, ``survey`` of ``survey``, ``account`` of ``account_find``,
``last`` the rows of ``log_last``. A script (`edgedp.ledger.script`) is run by the plugin in one transaction, which
asks the worker nothing. ``plan`` and ``declared`` are handed back as they came. ``answer`` is JSON, as the ledger
keeps it. A projection is three arrays: ``ids`` (int64 or text, one a node, in the plugin's order; left out where they
are missing or of mixed types), ``sources`` and ``targets`` (int32 rows of ``ids``, one a relationship, any direction,
parallels and loops allowed); the last two come ahead of the request, in frames ``pairs``. For a percentile ``draw``
takes one array in their place, ``values`` (float64, one a node, NaN for what is missing or no number). While it draws,
a release that spends step by step sends
``pay``, the script of a further debit, and is answered ``paid``, whether it was committed. Where nodes have titles,
``draw`` then sends ``titles``, the ids that the answer shows, and is answered ``titles``, rows of the statement.
``attributes`` are rows of ``attribute_list``, and the account of ``attribute`` is that of the attributes.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping

from edgedp.faces.worker import reading, registering, releasing
from edgedp.stores.neo4j.frames import Frame
from edgedp.words.version import __version__


def about(request: Frame) -> Frame:
    """Say what runs here."""
    return Frame({"version": __version__, "python": platform.python_version()})


VERBS: Mapping[str, Callable[..., Frame]] = {
    "about": about,
    "version": registering.version,
    "migrate": registering.migrate,
    "unknown_graph": releasing.unknown_graph,
    "plan": releasing.plan,
    "estimate": releasing.estimate,
    "judge": releasing.judge,
    "draw": releasing.draw,
    "account": reading.account,
    "accounts": reading.accounts,
    "log": reading.log,
    "page": reading.page,
    "check": reading.check,
    "exact_script": reading.exact_script,
    "exact": reading.exact_values,
    "sensitivity": reading.exact_sensitivity,
    "attribute": registering.attribute,
    "register": registering.register,
    "check_graph": registering.check_graph,
    "register_script": registering.register_script,
    "account_script": registering.account_script,
    "set_budget": registering.set_budget,
    "drop": registering.drop,
    "curator_refusal": registering.curator_refusal,
}
