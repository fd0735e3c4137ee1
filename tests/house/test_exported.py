"""What the package exports: named, documented with an example, and not shadowed by a module of its name."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

import edgedp
import looped

ROOT = Path(__file__).resolve().parents[2]
PUBLIC_MODULES = (edgedp, edgedp.exact, edgedp.mechanisms, edgedp.quality, edgedp.spark)

# Whose example stands elsewhere: classes that users are handed, and a function that refers to another one.
EXAMPLE_OF = {"Release": edgedp.priv_top_k, "Store": edgedp.open_store, "values": edgedp.exact.degree}


def exported() -> list[tuple[str, Any]]:
    """Return everything public with its name, modules left out."""
    return [
        (f"{module.__name__}.{name}", getattr(module, name))
        for module in PUBLIC_MODULES
        for name in module.__all__
        if not inspect.ismodule(getattr(module, name)) and name != "__version__"
    ]


def packages() -> list[str]:
    """Return the names of all packages, our own first."""
    walked = pkgutil.walk_packages(edgedp.__path__, "edgedp.")
    return ["edgedp", *(found.name for found in walked if found.ispkg)]


@pytest.mark.parametrize("module", PUBLIC_MODULES, ids=lambda module: module.__name__)
def test_all_is_sorted_unique_and_resolves(module: Any) -> None:
    assert list(module.__all__) == sorted(set(module.__all__))
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_all_equals_the_public_members() -> None:
    assert set(dir(edgedp)) == set(edgedp.__all__)
    # Everything that TYPE_CHECKING promises to type checkers is there at run time, and the other way round.
    source = Path(edgedp.__file__).read_text(encoding="utf-8")
    block = source.partition("if TYPE_CHECKING:\n")[2].partition("\n\n")[0]
    promised = {
        word
        for line in block.replace("(\n", "(").splitlines()
        for word in line.partition(" import ")[2].replace("(", " ").replace(",", " ").split()
    } | {
        line.strip(" ,")
        for line in block.splitlines()
        if line.startswith("        ") and "import" not in line
    }
    assert promised - {"", ")"} == set(edgedp.__all__)


def test_a_stub_names_what_its_module_exports() -> None:
    stub = Path(edgedp.__file__).with_name("quality.pyi").read_text(encoding="utf-8")
    named = re.findall(r"^from edgedp\.exact\.quality import (\w+) as (\w+)$", stub, re.MULTILINE)
    assert [one for one, _ in named] == [other for _, other in named] == list(edgedp.quality.__all__)


def test_exact_exports_what_is_defined_in_it() -> None:
    defined = {
        name
        for name, member in vars(edgedp.exact).items()
        if inspect.isfunction(member) and member.__module__.startswith("edgedp.exact.")
    }
    assert set(edgedp.exact.__all__) <= defined


def test_an_unknown_name_is_an_attribute_error() -> None:
    for module in (edgedp, edgedp.mechanisms):
        with pytest.raises(AttributeError, match="nothing_of_that_name"):
            _ = module.nothing_of_that_name


@looped.as_one
@pytest.mark.parametrize(("name", "member"), exported())
def test_what_is_exported_has_a_docstring_with_an_example(name: str, member: Any) -> None:
    assert inspect.getdoc(member), name
    if inspect.isclass(member) and issubclass(member, (edgedp.EdgeDPError, Warning)):
        return
    documented = EXAMPLE_OF.get(name.rpartition(".")[2], member)
    assert ">>> " in (inspect.getdoc(documented) or ""), name


@pytest.mark.parametrize("kind", [edgedp.Graph, edgedp.Store, edgedp.Release])
def test_every_method_of_a_public_class_has_a_docstring(kind: type) -> None:
    for name, member in vars(kind).items():
        if not name.startswith("_"):
            said = (
                inspect.getdoc(member)
                if inspect.ismemberdescriptor(member)
                else getattr(member, "__func__", member).__doc__
            )
            assert said, f"{kind.__name__}.{name}"


def test_every_error_is_a_leaf_of_ours_and_of_a_built_in_kind() -> None:
    for name in edgedp.__all__:
        member = getattr(edgedp, name)
        if inspect.isclass(member) and issubclass(member, Warning):
            continue
        if inspect.isclass(member) and issubclass(member, Exception) and member is not edgedp.EdgeDPError:
            assert issubclass(member, edgedp.EdgeDPError)
            builtin = [base for base in member.__mro__ if base.__module__ == "builtins"]
            assert builtin[0] not in (Exception, BaseException, object), name


@looped.as_one
@pytest.mark.parametrize("package", packages())
def test_no_module_is_named_like_an_exported_function(package: str) -> None:
    """Importing a submodule sets its name on the package: a function of that name would be lost."""
    module = importlib.import_module(package)
    submodules = {found.name for found in pkgutil.iter_modules(module.__path__)}
    for name in submodules & set(getattr(module, "__all__", ())):
        assert inspect.ismodule(getattr(module, name)), f"{package}.{name}"


def test_exported_functions_survive_the_import_of_every_module() -> None:
    code = (
        "import importlib, inspect, pkgutil, edgedp\n"
        "before = {name: getattr(edgedp, name) for name in edgedp.__all__}\n"
        "for found in pkgutil.walk_packages(edgedp.__path__, 'edgedp.'):\n"
        "    if not found.name.endswith('__main__'):\n"
        "        importlib.import_module(found.name)\n"
        "assert all(getattr(edgedp, name) is member for name, member in before.items())\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, edgedp; print(*sorted(name.partition('.')[0] for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"numpy", "polars", "pyarrow", "igraph", "networkx", "ladybug", "neo4j", "pooch", "rich"}
    assert not heavy & set(done.stdout.split())


def test_the_version_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert edgedp.__version__ == project["version"]
    namespace = {"pom": "http://maven.apache.org/POM/4.0.0"}
    pom = ElementTree.parse(ROOT / "plugin" / "neo4j" / "pom.xml").getroot()  # noqa: S314 -- our own file
    assert edgedp.__version__ == pom.findtext("pom:version", namespaces=namespace)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert edgedp.__version__ in changes


def test_no_sentence_asks_to_stop_the_program_that_says_it() -> None:
    """What is said of an older edgedp is said of an older one than this."""
    this = tuple(map(int, edgedp.__version__.split(".")[:3]))
    named = set()
    for path in [
        *(ROOT / "plugin" / "edgedp").rglob("*.py"),
        *(ROOT / "plugin" / "neo4j" / "src").rglob("*.java"),
    ]:
        named |= set(re.findall(r"edgedp (\d+\.\d+\.\d+)", path.read_text(encoding="utf-8")))
    assert "0.1.0" in named
    assert all(tuple(map(int, older.split("."))) < this for older in named)
