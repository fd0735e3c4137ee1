"""Mutants as texts: functions as mutmut takes them, what a mutant changes, whether that is more than words."""

from __future__ import annotations

import ast
from functools import lru_cache

__all__ = ["NAMED", "difference", "only_guards", "only_words", "undecorated"]

KEPT = ("staticmethod", "classmethod", "abstractmethod", "overload")
"""Decorators that stay. For any other mutmut passes over a function: it is written below it, which says the same."""


NAMED = {
    **dict.fromkeys(
        ("check_choice", "check_metric", "check_part", "check_switch", "check_text", "check_whole", "finite"),
        (1,),
    ),
    "check_no_option": (0, 2),
}
"""Which arguments of what checks a value say what the value is called where it is refused."""


def undecorated(source: str) -> str:
    r"""Write the decorators that mutmut passes over below their functions.

    >>> print(undecorated("@property\ndef a(self):\n    return 1"))
    def a(self):
        return 1
    a = property(a)
    """
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and len(node.decorator_list) == 1:
            (decorator,) = node.decorator_list
            if isinstance(decorator, ast.Name) and decorator.id not in KEPT:
                indent = " " * node.col_offset
                lines[decorator.lineno - 1] = ""
                last = node.end_lineno or 0
                lines[last - 1] += f"\n{indent}{node.name} = {decorator.id}({node.name})"
    return "\n".join(lines).lstrip("\n")


def difference(old: str, new: str) -> tuple[str, str]:
    """Return the lines that were changed and what became of them, each as one line.

    >>> difference("a = 1\\nb = 2", "a = 1\\nb = 3")
    ('b = 2', 'b = 3')
    """
    first, second = old.splitlines(), new.splitlines()
    while first and second and first[0] == second[0]:
        del first[0], second[0]
    while first and second and first[-1] == second[-1]:
        del first[-1], second[-1]
    return " ".join(line.strip() for line in first), " ".join(line.strip() for line in second)


def only_words(old: str, new: str) -> bool:
    """Whether a change is one of words alone: of a text with a space, of what a refusal is raised with, of a `NAMED`.

    >>> only_words("f('too large')", "f('TOO LARGE')"), only_words("f('pair')", "f('PAIR')")
    (True, False)
    >>> only_words("raise E(f'{n} of {m}')", "raise E(None)"), only_words("raise E(1)", "return E(1)")
    (True, False)
    >>> [only_words("check_whole(k, 'k')", f"check_whole({other})") for other in ("k, None", "0, 'k'")]
    [True, False]
    >>> only_words("checks.check_part(x, 'part')", "checks.check_part(x, None)")
    True
    """
    return _words_only(_parsed(old), ast.parse(new), False)


@lru_cache(4)
def _parsed(old: str) -> ast.Module:
    """Return a function as a tree; its mutants follow each other."""
    return ast.parse(old)


def _words_only(old: object, new: object, raised: bool) -> bool:
    if isinstance(old, ast.AST) and isinstance(new, ast.AST):
        if raised and isinstance(old, ast.Call) and isinstance(new, ast.Call) and same(old.func, new.func):
            return True
        if isinstance(old, ast.Call) and isinstance(new, ast.Call):
            places = NAMED.get(ast.unparse(old.func).removeprefix("checks."), ())
            if places and same(old.func, new.func) and len(old.args) == len(new.args):
                pairs = list(zip(old.args, new.args, strict=True))
                rest = [pair for place, pair in enumerate(pairs) if place not in places]
                return all(_words_only(one, other, raised) for one, other in rest) and _words_only(
                    old.keywords, new.keywords, raised
                )
        if isinstance(old, ast.JoinedStr) and isinstance(new, ast.JoinedStr):
            constants = [part for part in ast.walk(old) if isinstance(part, ast.Constant)]
            raised = raised or any(" " in str(part.value) for part in constants)
        if isinstance(old, ast.Constant) and isinstance(new, ast.Constant):
            if old.value == new.value:
                return True
            return isinstance(old.value, str) and isinstance(new.value, str) and (raised or " " in old.value)
        if type(old) is not type(new):
            return False
        inside = raised or isinstance(old, ast.Raise)
        return all(_words_only(getattr(old, name), getattr(new, name), inside) for name in old._fields)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_words_only, old, new, [raised] * len(old)))
    return old == new


def only_guards(old: str, new: str) -> bool:
    """Whether a change is one of a guard alone, or of how fast an array is made.

    Guards are ``zip(strict=True)``, which speaks up where the code is at odds, and ``case _: assert_never``, which the
    type checker reads. ``astype`` copies or does not, and takes None for float64.

    >>> only_guards("zip(a, b, strict=True)", "zip(a, b)"), only_guards("zip(a, strict=True)", "zip(b)")
    (True, False)
    >>> only_guards("a.astype(b, copy=False)", "a.astype(b)"), only_guards("a.astype(b)", "a.astype(None)")
    (True, False)
    >>> left = "match a:\\n case 1: b()\\n case _: assert_never({})"
    >>> only_guards(left.format("a"), left.format("None")), only_guards(left.format("a"), left[:21])
    (True, True)
    """
    if not any(guard in old for guard in ("strict", "astype", "assert_never")):
        return False
    return same(_Unguarded().visit(ast.parse(old)), _Unguarded().visit(ast.parse(new)))


class _Unguarded(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        match node.func:
            case ast.Name("zip"):
                node.keywords = [each for each in node.keywords if each.arg != "strict"]
            case ast.Attribute(attr="astype"):
                node.keywords = [each for each in node.keywords if each.arg != "copy"]
                if [ast.unparse(each) for each in node.args] == ["None"]:
                    node.args = [ast.parse("np.float64", mode="eval").body]
        return node

    def visit_Match(self, node: ast.Match) -> ast.Match:
        self.generic_visit(node)
        node.cases = [each for each in node.cases if "assert_never" not in ast.unparse(each.body[0])]
        return node


def same(one: ast.AST, other: ast.AST) -> bool:
    return ast.dump(one) == ast.dump(other)
