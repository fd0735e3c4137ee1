"""Mutants of constants: a number, an operator or a truth in an assignment of a module or of a class, one at a time.

mutmut changes functions. A constant is changed where it stands, in a process of its own, and in whatever has it from
there: what is computed from it, and modules that have imported it.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

__all__ = ["MARK", "Constant", "constants_of", "put", "users"]

MARK = ".c_"
"""What stands before the name of a constant, in the name of a mutant."""

_SWAPPED: Mapping[type, Callable[[], Any]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip


class Constant(NamedTuple):
    """One change of a constant.

    Attributes
    ----------
    name : str
        Of the mutant: the module, `MARK`, the constant (of a class with its name before a dot), a number.
    before, after : str
        The assignment.
    mark : str
        It changes with the assignment.
    """

    name: str
    before: str
    after: str
    mark: str

    @property
    def function(self) -> str:
        """The name without the number."""
        return self.name.partition("__mutmut_")[0]


def constants_of(source: str, module: str) -> Iterator[Constant]:
    """Yield the mutants of a module's constants, and of its classes'.

    >>> [each.after for each in constants_of("A = 1 - 2.0**-9\\nclass B:\\n    c: ClassVar[bool] = True", "m")]
    ['A = 1 + 2.0 ** (-9)', 'A = 2 - 2.0 ** (-9)', 'A = 1 - 2.0 * -9', 'A = 1 - 3.0 ** (-9)', 'A = 1 - 2.0 ** (+9)', \
'A = 1 - 2.0 ** (-10)', 'c = False']
    """
    for owner, node in _assignments(ast.parse(source)):
        names = _names_of(node)
        before = f"{', '.join(names)} = {ast.unparse(node.value)}"
        mark = hashlib.sha256(before.encode()).hexdigest()[:12]
        for number, value in enumerate(_variants(node.value)):
            where = f"{owner}.{names[0]}" if owner else names[0]
            after = f"{', '.join(names)} = {ast.unparse(value)}"
            yield Constant(f"{module}{MARK}{where}__mutmut_{number}", before, after, mark)


class _Assignment(NamedTuple):
    targets: Sequence[ast.expr]
    value: ast.expr


def _assignments(tree: ast.Module) -> Iterator[tuple[str, _Assignment]]:
    """Yield what a module and its classes assign, but for the fields of dataclasses: a default is no constant."""
    for owner, body in (
        ("", tree.body),
        *((c.name, c.body) for c in tree.body if isinstance(c, ast.ClassDef)),
    ):
        for node in body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) != "__all__":
                targets = node.targets[0]
                yield (
                    owner,
                    _Assignment(targets.elts if isinstance(targets, ast.Tuple) else [targets], node.value),
                )
            elif (
                isinstance(node, ast.AnnAssign)
                and node.value is not None
                and not (owner and "ClassVar" not in ast.unparse(node.annotation))
            ):
                yield owner, _Assignment([node.target], node.value)


def _names_of(assignment: _Assignment) -> list[str]:
    return [ast.unparse(target) for target in assignment.targets]


def _variants(value: ast.expr) -> Iterator[ast.expr]:
    for number, node in enumerate(ast.walk(value)):
        whole = copy.deepcopy(value)
        there = next(each for at, each in enumerate(ast.walk(whole)) if at == number)
        match node:
            case ast.Constant(value=bool(was)):
                there.value = not was  # type: ignore[attr-defined]
            case ast.Constant(value=int(figure) | float(figure)):
                there.value = figure + 1  # type: ignore[attr-defined]
            case ast.BinOp(op=op) if type(op) in _SWAPPED:
                there.op = _SWAPPED[type(op)]()  # type: ignore[attr-defined]
            case ast.Compare(ops=[op]) if type(op) in _SWAPPED:
                there.ops = [_SWAPPED[type(op)]()]  # type: ignore[attr-defined]
            case ast.UnaryOp(op=ast.USub()):
                there.op = ast.UAdd()  # type: ignore[attr-defined]
            case _:
                continue
        yield whole


# -- changing one in this process -------------------------------------------------------------------------


def put(name: str, source: str) -> None:
    """Change a constant of a module that is loaded, whose source this is, and what has it from there."""
    module, _, where = name.partition("__mutmut_")[0].partition(MARK)
    chosen = next(each for each in constants_of(source, module) if each.name == name)
    owner, _, _ = where.rpartition(".")
    scope = vars(import_module(module))
    (assignment,) = (node for _, node in _assignments(ast.parse(chosen.after)))
    inside = scope if not owner else {**scope, **vars(scope[owner])}
    if owner:
        for each, value in _evaluated(assignment, inside):
            setattr(scope[owner], each, value)
    else:
        _spread(sys.modules[module], dict(_evaluated(assignment, inside)))


def _evaluated(assignment: _Assignment, scope: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    value = eval(compile(ast.Expression(assignment.value), "<constant>", "eval"), scope)  # noqa: S307 - the code's own
    names = _names_of(assignment)
    yield from zip(names, value if len(names) > 1 else [value], strict=True)


def _spread(module: ModuleType, changed: Mapping[str, Any]) -> None:
    """Set names of a module, compute what is assigned from them, and do the same wherever they were imported."""
    scope = vars(module)
    was = {name: scope[name] for name in changed}
    scope.update(changed)
    for owner, each in _assignments(_tree(module)):
        names = _names_of(each)
        used = {node.id for node in ast.walk(each.value) if isinstance(node, ast.Name)}
        if not owner and used & changed.keys() and not set(names) & changed.keys():
            _spread(module, dict(_evaluated(each, scope)))
    for other in list(sys.modules.values()):
        held = getattr(other, "__dict__", {})
        aliases = {name for name, value in held.items() if value is module} if _is_ours(other) else set()
        for owner, each in _assignments(_tree(other)) if aliases else ():
            if not owner and any(_reads(node, aliases, changed) for node in ast.walk(each.value)):
                _spread(other, dict(_evaluated(each, held)))
        shared = {
            name for name in changed if other is not module and name in held and held[name] is was[name]
        }
        if shared and (imported := shared & _imported(other, module.__name__)):
            _spread(other, {name: changed[name] for name in imported})


def _is_ours(module: ModuleType) -> bool:
    return getattr(module, "__name__", "").partition(".")[0] == "edgedp"


def _reads(node: ast.AST, aliases: set[str], changed: Mapping[str, Any]) -> bool:
    """Whether a part of an expression is a changed name of a module that goes by one of some names."""
    match node:
        case ast.Attribute(value=ast.Name(alias), attr=name):
            return alias in aliases and name in changed
    return False


def _tree(module: ModuleType) -> ast.Module:
    path = getattr(module, "__file__", None)
    return ast.parse(Path(path).read_bytes() if path is not None and path.endswith(".py") else b"")


def _imported(module: ModuleType, origin: str) -> set[str]:
    """Return the names that a module imports from another when it is loaded, under the names that they have."""
    return {
        each.name
        for node in _tree(module).body
        if isinstance(node, ast.ImportFrom) and node.module == origin
        for each in node.names
        if each.asname is None
    }


# -- what uses one ----------------------------------------------------------------------------------------


def users(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Return for each constant of some modules the functions that use it, by the names that mutmut gives them.

    Where none does, all functions of its module stand for it.

    >>> source = "A = 1\\ndef f():\\n    return A\\nclass C:\\n    B = 2\\n    def g(self):\\n        return self.B"
    >>> users({"m": source})
    {'m.c_A': ['m.x_f'], 'm.c_C.B': ['m.xǁCǁg']}
    >>> users({"m": "A = 1\\nB = A", "n": "B = 2\\ndef f():\\n    return B"})["m.c_A"]
    ['n.x_f']
    """
    mentions = {
        f"{module}.{name}": names for module, source in sources.items() for name, names in _mentions(source)
    }
    derived: dict[str, set[str]] = defaultdict(set)  # two modules may have constants of one name
    for source in sources.values():
        for _, each in _assignments(ast.parse(source)):
            used = {node.id for node in ast.walk(each.value) if isinstance(node, ast.Name)}
            used |= {node.attr for node in ast.walk(each.value) if isinstance(node, ast.Attribute)}
            for name in _names_of(each):
                derived[name] |= used
    found = {}
    for constant in (each for module, source in sources.items() for each in constants_of(source, module)):
        module, _, where = constant.function.partition(MARK)
        names = {where.rpartition(".")[2], *constant.before.partition(" = ")[0].split(", ")}
        while more := {name for name, used in derived.items() if used & names} - names:
            names |= more
        using = [function for function, mentioned in mentions.items() if mentioned & names]
        found[constant.function] = using or [each for each in mentions if each.startswith(f"{module}.x")]
    return found


def _mentions(source: str) -> Iterator[tuple[str, set[str]]]:
    tree = ast.parse(source)
    for owner, body in (
        ("", tree.body),
        *((c.name, c.body) for c in tree.body if isinstance(c, ast.ClassDef)),
    ):
        for node in body:
            if isinstance(node, ast.FunctionDef):
                names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
                names |= {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
                yield f"xǁ{owner}ǁ{node.name}" if owner else f"x_{node.name}", names
