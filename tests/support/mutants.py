"""Mutants of the law, sampling, prices and the debit: `make mutants`, or a seeded sample by `make mutants SAMPLE=60`.

mutmut changes one operator, number or argument of one function at a time, and ``constants.py`` one of a constant;
``mutated.py`` runs the tests that reach the function, or a function that uses the constant, on each. A mutant that no
test fails on is a survivor: kill it by a test, or give the reason in ``mutants.toml``. Why mutmut, and why it only
makes the mutants: decision 21.

What an earlier run found in the same folder is kept, as long as the function is the same; survivors are tried again.
A run fails by a survivor without a reason, by a mutant that was not tried, and by a reason that fits no mutant.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from changes import difference, only_guards, only_words, undecorated
from constants import MARK, constants_of, users
from parts import PARTS
from places import SUPPORT, files_of_tests

ROOT = SUPPORT.parents[1]
FOLDER = ROOT / "build" / "mutants"
REASONS = SUPPORT / "mutants.toml"

WITHOUT = (
    "cacheprovider",
    "unraisableexception",
    "threadexception",
    "schemathesis",
    "xdist",
    "pytest_cov",
    "anyio",
)
"""Plugins of pytest that are not needed; the limit of a mutant is its processor time."""

SETTINGS = """
[tool.pytest.ini_options]
addopts = ["--import-mode=importlib", "--strict-markers"]
pythonpath = {paths}
filterwarnings = ["error"]
markers = ["slow: x", "wide: x", "neo4j: x", "spark: x"]

[tool.mutmut]
source_paths = ["edgedp"]
only_mutate = {mutated}
also_copy = ["tests", "docs", "loaders", "queries"]
"""

GENERATE = """
from mutmut.__main__ import copy_also_copy_files, copy_src_dir, create_mutants
import os, sys
if __name__ == "__main__":
    os.makedirs("mutants", exist_ok=True)
    copy_src_dir(); copy_also_copy_files(); create_mutants(int(sys.argv[1]))
"""

CAUGHT = ("caught", "endless")


@dataclass(frozen=True)
class Mutant:
    """One change: where, the lines before and after it, and a mark that changes with the function."""

    name: str
    function: str
    before: str
    after: str
    mark: str
    words_only: bool

    @property
    def module(self) -> str:
        """The name of the module."""
        return self.function.partition(MARK)[0] if MARK in self.function else self.function.rpartition(".")[0]


# -- making them ------------------------------------------------------------------------------------------


def lay_out(folder: Path, processes: int) -> dict[str, list[Path]]:
    """Copy what mutmut needs to a folder of its own, where the package is at the root, and make the mutants.

    Returns the files that mutants are made of, by part.
    """
    folder.mkdir(parents=True, exist_ok=True)
    there, laid_out = stamp(), folder / "laid_out"
    if laid_out.exists() and laid_out.read_text(encoding="utf-8") == there:
        return files_of(folder)
    laid_out.unlink(missing_ok=True)
    copies = {
        "plugin/edgedp": "edgedp",
        "tests": "tests",
        "docs": "docs",
        "queries": "queries",
        "loaders": "loaders",
    }
    ignored = shutil.ignore_patterns("__pycache__")
    for source, target in copies.items():
        for inside in (folder, folder / "mutants"):  # what was renamed is not left behind
            for path in sorted((inside / target).rglob("*.py")):
                if not (ROOT / source / path.relative_to(inside / target)).exists():
                    path.unlink()
        shutil.copytree(ROOT / source, folder / target, dirs_exist_ok=True, ignore=ignored)
    for assets in ("queries", "loaders"):
        shutil.copytree(ROOT / assets, folder / "edgedp" / "assets" / assets, dirs_exist_ok=True)
    mutated = [path for paths in files_of(folder).values() for path in paths]
    for path in mutated:
        written = path.stat()
        path.write_text(undecorated(path.read_text(encoding="utf-8")), encoding="utf-8")
        os.utime(path, ns=(written.st_atime_ns, written.st_mtime_ns))
    made = {folder / "mutants" / path.relative_to(folder) for path in mutated}
    for path in (folder / "mutants" / "edgedp").rglob("*.py"):
        meta = path.with_name(f"{path.name}.meta")
        if (path in made) != meta.exists():  # asked for and cut off, or of another run: made anew, or copied
            meta.unlink(missing_ok=True)
            path.unlink()
    shutil.copytree(  # mutmut copies what is not there, and leaves what has changed since
        folder / "edgedp",
        folder / "mutants" / "edgedp",
        dirs_exist_ok=True,
        ignore=lambda at, names: {name for name in names if Path(at) / name in mutated},
    )
    folders = sorted({path.parent for path in files_of_tests().values()})
    paths = [str(path.relative_to(ROOT)) for path in (SUPPORT, *folders)]
    relative = [str(path.relative_to(folder)) for path in mutated]
    settings = SETTINGS.format(mutated=json.dumps(relative), paths=json.dumps([*paths, "docs/examples"]))
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
    run(folder, "-c", GENERATE, str(processes), quiet=True)
    laid_out.write_text(there, encoding="utf-8")
    return files_of(folder)


def files_of(folder: Path) -> dict[str, list[Path]]:
    """Return the files of each part."""
    return {
        name: [path for pattern in part.files for path in sorted(folder.glob(pattern))]
        for name, part in PARTS.items()
    }


def stamp() -> str:
    """Return what changes with any file that is laid out."""
    found = hashlib.sha256()
    for root in ("plugin/edgedp", "tests", "docs", "queries", "loaders"):
        for path in sorted((ROOT / root).rglob("*")):
            if "__pycache__" not in path.parts and path.is_file():
                seen = path.stat()
                found.update(f"{path} {seen.st_mtime_ns} {seen.st_size}\n".encode())
    return found.hexdigest()


def path_of(module: str) -> Path:
    """Return where a module of the package is, below the folder that holds the package."""
    path = Path(*module.split("."))
    return (
        path.with_suffix(".py")
        if (ROOT / "plugin" / path.with_suffix(".py")).exists()
        else path / "__init__.py"
    )


def module_of(path: Path, folder: Path) -> str:
    """Return the name of a module."""
    return ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")


def run(folder: Path, *words: str, quiet: bool = False) -> int:
    """Run Python in the folder, for which one thread is enough."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}
    for name in ("CI", "BUILD_NUMBER"):
        environment.pop(name, None)
    shown = subprocess.DEVNULL if quiet else None
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, check=quiet, stdout=shown
    ).returncode


def mutants_of(folder: Path, paths: list[Path]) -> Iterator[Mutant]:
    """Yield the mutants of some files."""
    for path in paths:
        relative = path.relative_to(folder)
        made = folder / "mutants" / relative
        spans, meta = (made.with_name(f"{made.name}.{kind}") for kind in ("spans", "meta"))
        lines = made.read_text(encoding="utf-8").splitlines()
        where = json.loads(spans.read_text(encoding="utf-8"))["spans"]
        marks = json.loads(meta.read_text(encoding="utf-8"))["hash_by_function_name"]
        module = module_of(path, folder)
        for name, (first, last) in where.items():
            function, _, number = name.rpartition("__mutmut_")
            if number == "orig":
                continue
            start, end = where[f"{function}__mutmut_orig"]
            old, new = (
                textwrap.dedent("\n".join(lines[i - 1 : j])).replace(f"{function}__mutmut_{which}", "_", 1)
                for i, j, which in ((start, end, "orig"), (first, last, number))
            )
            before, after = difference(old, new)
            words_only = only_words(old, new) or only_guards(old, new)
            yield Mutant(
                f"{module}.{name}", f"{module}.{function}", before, after, marks[function], words_only
            )
        for constant in constants_of(path.read_text(encoding="utf-8"), module):
            yield Mutant(
                constant.name, constant.function, constant.before, constant.after, constant.mark, False
            )


# -- trying them ------------------------------------------------------------------------------------------


@cache
def reasons() -> list[dict[str, str]]:
    """Return the reasons, one for each line: an entry may name several that its function's become."""
    return [
        {**entry, "becomes": becomes}
        for entry in tomllib.loads(REASONS.read_text(encoding="utf-8"))["survivor"]
        for becomes in ([entry["becomes"]] if isinstance(entry["becomes"], str) else entry["becomes"])
    ]


def explained(mutant: Mutant) -> dict[str, str] | None:
    """Return the entry with the reason that is given for a survivor, if there is one."""
    for entry in reasons():
        if fnmatch(mutant.function, entry["function"]) and entry["becomes"] in ("*", mutant.after):
            return entry
    return None


def part_of(entry: dict[str, str], parts: dict[str, str]) -> str | None:
    """Return the part that a reason is of; None where there is no such module."""
    module, _, constant = entry["function"].partition(MARK)
    return parts.get(module if constant else module.rpartition(".")[0])


def results(path: Path) -> dict[str, list[str]]:
    """Return how each mutant ended that was ever tried, the last time that counts."""
    if not path.exists():
        return {}
    return {
        json.loads(line)[0]: json.loads(line)[1:] for line in path.read_text(encoding="utf-8").splitlines()
    }


def digest(folder: Path) -> str:
    """Return a checksum of the package: what its tests reach is kept as long as it is the same."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def attempt(
    folder: Path, modules: list[str], mutants: list[Mutant], tests: list[str], how: dict[str, float]
) -> dict[str, list[str]]:
    """Try mutants and return how each ended: the outcome, the test that noticed it, the seconds that it took.

    `modules` are those in which functions may use a constant. `how` holds the numbers that ``mutated.py`` asks for:
    processes, expense, cases.
    """
    path = folder / "tried.jsonl"
    by_key = {f"{mutant.name} {mutant.mark}": mutant for mutant in mutants}
    known = {key: found for key, found in results(path).items() if found[0] in CAUGHT}
    sources = {module: (folder / path_of(module)).read_text(encoding="utf-8") for module in modules}
    files = {
        str(path.relative_to(ROOT)): set(re.findall(r"\w+", path.read_text(encoding="utf-8")))
        for path in (files_of_tests()[f"test_{stem}.py"] for stem in tests)
    }
    constants = {mutant.function for mutant in mutants if MARK in mutant.function}
    asked = {
        "mutants": [key for key in by_key if key not in known],
        "mark": digest(folder / "edgedp"),
        "tests": list(files),
        "named": {  # what a test reads of a constant by its name is in no function of the package
            name: [path for path, words in files.items() if name.rpartition(".")[2].removeprefix("c_") in words]
            for name in constants
        },
        "without": WITHOUT, "users": users(sources), "sources": sources, **how,
        "results": str(path), "folder": str(folder),
    }  # fmt: skip
    (folder / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    if asked["mutants"]:  # without a file of tests pytest would run all that there are
        run(folder, str(folder / "tests" / "support" / "mutated.py"), str(folder / "asked.json"))
    found = results(path)
    return {mutant.name: found[key] for key, mutant in by_key.items() if key in found}


def drawn(by_part: dict[str, list[Mutant]], asked: argparse.Namespace) -> list[Mutant]:
    """Return what is asked for: all that fit, or a sample of the functions' that has as many of each part."""
    fit = {
        part: [mutant for mutant in by_part[part] if fnmatch(mutant.function, asked.only)]
        for part in asked.parts
    }
    if asked.sample is None:
        return [mutant for part in asked.parts for mutant in fit[part]]
    chosen: list[Mutant] = []
    for place, part in enumerate(asked.parts, 1):
        of_functions = [mutant for mutant in fit[part] if MARK not in mutant.function]
        wanted = asked.sample * place // len(asked.parts) - len(chosen)
        chosen += random.Random(asked.seed).sample(of_functions, min(wanted, len(of_functions)))
    return chosen


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutants of what privacy rests on.")
    parser.add_argument(
        "--sample", type=int, help="try so many in all, drawn at random from every part; no constants"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument(
        "--only", default="*", help="functions, by a pattern such as 'edgedp.mechanisms.sampling.*'"
    )
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="of what is mutated")
    parser.add_argument("--tests", help="files of tests, in place of those of the parts")
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help="where the copies are, and what earlier runs found"
    )
    parser.add_argument(
        "--expense",
        type=float,
        default=10,
        help="seconds of processor time that the tests of one mutant may take",
    )
    parser.add_argument(
        "--cases",
        type=int,
        default=0,
        help="run so many cases of each test, and all where one costs next to nothing; 0: all that it has",
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--anew", action="store_true", help="forget what earlier runs found")
    asked = parser.parse_args()
    if asked.anew:
        shutil.rmtree(asked.folder, ignore_errors=True)
    files = lay_out(asked.folder, asked.processes)
    parts = {module_of(path, asked.folder): part for part, paths in files.items() for path in paths}
    by_part = {part: list(mutants_of(asked.folder, files[part])) for part in asked.parts}
    every = [each for mutants in by_part.values() for each in mutants]
    used = {id(explained(mutant)) for mutant in every}
    stale = [
        entry
        for entry in reasons()
        if id(entry) not in used and part_of(entry, parts) in (None, *asked.parts)
    ]
    chosen = drawn(by_part, asked)
    tried = [mutant for mutant in chosen if not mutant.words_only and not explained(mutant)]
    how = {"processes": asked.processes, "expense": asked.expense, "cases": asked.cases}
    wanted = {part for part in PARTS if any(part == parts[mutant.module] for mutant in tried)}
    tests = asked.tests or " ".join(PARTS[part].tests for part in PARTS if part in wanted)
    found = attempt(asked.folder, list(parts), tried, list(dict.fromkeys(tests.split())), how)
    survivors = [mutant for mutant in tried if mutant.name in found and found[mutant.name][0] not in CAUGHT]
    print(
        f"{'part':12}{'mutants':>8}{'words':>8}{'reasons':>8}{'tried':>8}{'noticed':>8}{'survive':>8}{'seconds':>9}"
    )
    for part in (*PARTS, "all"):
        of_it = [mutant for mutant in chosen if part in ("all", parts[mutant.module])]
        ended = [found[mutant.name] for mutant in of_it if mutant.name in found]
        words = sum(mutant.words_only for mutant in of_it)
        waiting = sum(mutant in tried for mutant in of_it) if part != "all" else len(tried)
        noticed = sum(outcome in CAUGHT for outcome, *_ in ended)
        figures = (len(of_it), words, len(of_it) - words - waiting, len(ended), noticed, len(ended) - noticed)
        seconds = sum(float(spent) for *_, spent in ended)
        if of_it:
            print(f"{part:12}" + "".join(f"{figure:8}" for figure in figures) + f"{seconds:9.0f}")
    print(f"{len(every)} mutants, {len(chosen)} asked for, {len(found)} of {len(tried)} were tried")
    for mutant in survivors:
        print(f"{mutant.name} ({found[mutant.name][0]})\n  - {mutant.before}\n  + {mutant.after}")
    for entry in stale:
        print(f"A reason fits no mutant: {entry['function']}, {entry['becomes']}")
    return 1 if survivors or stale or len(found) < len(tried) else 0


if __name__ == "__main__":
    sys.exit(main())
