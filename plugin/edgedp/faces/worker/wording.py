"""A refusal in the words of Cypher: what the package says once, in Python's names, as a caller of procedures knows it.

The package's sentences name options as Python does and other commands as a shell does. Whoever reads them in Neo4j
Browser has camelCase keys, ``null`` and procedures. What stands in quotation marks is a caller's own and stays.
"""

from __future__ import annotations

import re
from functools import cache

from edgedp.release.plan import options_of
from edgedp.words.vocabulary import KINDS

_DECLARED = (
    "allow_empty",
    "degree_bound",
    "epsilon_budget",
    "id_property",
    "max_epsilon_per_release",
    "node_label",
    "relationship_type",
    "request_id",
    "write_property",
)
"""What a curator declares and a caller adds; the options of releases are listed by their kinds."""

_COMMANDS = (
    (re.compile(r"'edgedp graphs'"), "edgedp.graph.list()"),
    (re.compile(r"'edgedp budget (.+?) --set E'"), r"CALL edgedp.graph.setBudget('\1', E)"),
    (re.compile(r"'edgedp ledger check (.+?)'"), r"CALL edgedp.graph.check('\1')"),
    (re.compile(r"'edgedp drop (.+?)'"), r"CALL edgedp.graph.drop('\1')"),
)
_BARE = (
    (re.compile(r"\bof priv_top_k\b"), "of edgedp.privTopk"),
    (re.compile(r" \(--[\w-]+\)"), ""),
)
_QUOTED = re.compile(r"""((?<!\w)'(?:[^'\\]|\\.)*'(?!\w)|"(?:[^"\\]|\\.)*")""")
_WORDS = re.compile(r"\b\w+\b")


def in_cypher(sentence: str) -> str:
    """Return a refusal as a caller of procedures reads it.

    Parameters
    ----------
    sentence : str
        In Python's words.

    Examples
    --------
    >>> in_cypher("sensitivity_form is None, must be 'degree'; ask without it")
    "sensitivityForm is null, must be 'degree'; ask without it"
    >>> in_cypher("the graph is 'degree_bound', must have been loaded or registered; see 'edgedp graphs'")
    "the graph is 'degree_bound', must have been loaded or registered; see edgedp.graph.list()"
    >>> in_cypher("where compares 'x (--y)', must be a column; load it with columns (--columns)")
    "where compares 'x (--y)', must be a column; load it with columns"
    """
    for command, procedure in _COMMANDS:
        sentence = command.sub(procedure, sentence)
    parts = _QUOTED.split(sentence)
    for bare, meant in _BARE:
        parts[::2] = [bare.sub(meant, part) for part in parts[::2]]
    parts[::2] = [_WORDS.sub(lambda word: _words().get(word[0], word[0]), part) for part in parts[::2]]
    return "".join(parts)


@cache
def _words() -> dict[str, str]:
    """Return Cypher's words by Python's."""
    options = {option.name: option.key for kind in KINDS for option in options_of(kind).described()}
    declared = {name: re.sub("_(.)", lambda match: match[1].upper(), name) for name in _DECLARED}
    return options | declared | {"None": "null", "True": "true", "False": "false"}
