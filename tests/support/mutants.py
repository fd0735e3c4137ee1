"""Mutants of the law, sampling, prices and the debit: `make mutants`, or a seeded sample by `make mutants SAMPLE=60`.

mutmut changes one operator, number or argument of one function at a time; ``mutated.py`` runs the tests that reach the
function on each. A mutant that no test fails on is a survivor: kill it by a test, or give the reason in
``mutants.toml``. Why mutmut, and why it only makes the mutants: decision 21.

What an earlier run found in the same folder is kept, as long as the function is the same; survivors are tried again.
A run fails by a survivor without a reason, by a mutant that was not tried, and by a reason that fits no mutant.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from changes import difference, only_words, undecorated
from places import SUPPORT, files_of_tests

ROOT = SUPPORT.parents[1]
FOLDER = ROOT / "build" / "mutants"
REASONS = SUPPORT / "mutants.toml"

MECHANISMS = "edgedp/mechanisms"
MUTATED = (
    f"{MECHANISMS}/sampling/*.py",
    *(
        f"{MECHANISMS}/{name}.py"
        for name in ("grid", "joint", "laws", "ranks", "samplers", "units", "values")
    ),
    f"{MECHANISMS}/scores/*.py",
    *(
        f"{MECHANISMS}/adaptive/{name}.py"
        for name in ("closed", "purchases", "top_k", "until_sure", "vectors")
    ),
    *(f"{MECHANISMS}/pareto/{name}.py" for name in ("profile", "rounds", "score")),
    *(f"{MECHANISMS}/selection/{name}.py" for name in ("percentiles", "picking", "questions")),
    f"{MECHANISMS}/numbers/*.py",
    f"{MECHANISMS}/metrics/*.py",
    f"{MECHANISMS}/counts/*.py",
    f"{MECHANISMS}/adaptive/arcs.py",
    "edgedp/words/amounts/*.py",
    *(
        f"edgedp/release/plan/{name}.py"
        for name in ("base", "joint", "nodes", "numbers", "arcs", "arc_numbers")
    ),
    "edgedp/release/draw.py",
    "edgedp/ledger/debits/debiting.py",
    "edgedp/ledger/script.py",
)
"""Sampling, mechanisms, sensitivities, prices, and what runs a debit, in the order that they are tried in. What follows
from released values alone (choices, fits, estimates), what is kept for speed, and pages are left out."""

TESTS = """
adaptive admissibility arcs betweenness2 checks claims completeness conversions counts coupling cut_arcs cut_theorem
cuts dampening debiting draw epsilon joint kinds laws ledger mechanisms metrics motkin number_formulas number_laws
number_papers numbers options options_kept pareto_profile percentile plan planning project projection protect reached
release rho samplers sampling_geometric sampling_late sampling_noise sampling_refine sampling_select sampling_words
select shares smooth steps until_sure
"""
"""The files of tests of these, of which those of the first tier run that need no server."""

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


# -- making them ------------------------------------------------------------------------------------------


def lay_out(folder: Path, processes: int, only: str) -> list[Path]:
    """Copy what mutmut needs to a folder of its own, where the package is at the root, and make the mutants.

    Returns the files with functions that may fit the pattern: mutants are made of these.
    """
    folder.mkdir(parents=True, exist_ok=True)
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
    mutated = [
        path
        for pattern in MUTATED
        for path in sorted(folder.glob(pattern))
        if fnmatch(f"{module_of(path, folder)}.", only) or only.startswith(f"{module_of(path, folder)}.")
    ]
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
    return mutated


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
            words_only = only_words(old, new)
            yield Mutant(
                f"{module}.{name}", f"{module}.{function}", before, after, marks[function], words_only
            )


# -- trying them ------------------------------------------------------------------------------------------


@cache
def reasons() -> list[dict[str, str]]:
    return list(tomllib.loads(REASONS.read_text(encoding="utf-8"))["survivor"])


def explained(mutant: Mutant) -> dict[str, str] | None:
    """Return the entry with the reason that is given for a survivor, if there is one."""
    for entry in reasons():
        if fnmatch(mutant.function, entry["function"]) and entry["becomes"] in ("*", mutant.after):
            return entry
    return None


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
    folder: Path, mutants: list[Mutant], tests: list[str], how: dict[str, float]
) -> dict[str, list[str]]:
    """Try mutants and return how each ended: the outcome, the test that noticed it, the seconds that it took.

    `how` holds the numbers that ``mutated.py`` asks for: processes, expense, cases.
    """
    path = folder / "tried.jsonl"
    by_key = {f"{mutant.name} {mutant.mark}": mutant for mutant in mutants}
    known = {key: found for key, found in results(path).items() if found[0] in CAUGHT}
    asked = {
        "mutants": [key for key in by_key if key not in known],
        "mark": digest(folder / "edgedp"),
        "tests": [str(files_of_tests()[f"test_{stem}.py"].relative_to(ROOT)) for stem in tests],
        "without": WITHOUT, **how, "results": str(path), "folder": str(folder),
    }  # fmt: skip
    (folder / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
    run(folder, str(folder / "tests" / "support" / "mutated.py"), str(folder / "asked.json"))
    found = results(path)
    return {mutant.name: found[key] for key, mutant in by_key.items() if key in found}


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutants of what privacy rests on.")
    parser.add_argument("--sample", type=int, help="try so many, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument(
        "--only", default="*", help="functions, by a pattern such as 'edgedp.mechanisms.sampling.*'"
    )
    parser.add_argument("--tests", default=TESTS, help="files of tests; what they miss others may see")
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
        "--cases", type=int, default=0, help="run so many cases of each test; 0: all that it has"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--anew", action="store_true", help="forget what earlier runs found")
    asked = parser.parse_args()
    if asked.anew:
        shutil.rmtree(asked.folder, ignore_errors=True)
    files = lay_out(asked.folder, asked.processes, asked.only)
    every = list(mutants_of(asked.folder, files))
    found_in = tuple(f"{module_of(path, asked.folder)}.x" for path in files)
    stale = [
        entry
        for entry in reasons()
        if entry["function"].startswith(found_in) and not any(explained(mutant) is entry for mutant in every)
    ]
    chosen = [mutant for mutant in every if fnmatch(mutant.function, asked.only)]
    if asked.sample is not None:
        chosen = random.Random(asked.seed).sample(chosen, asked.sample)
    tried = [mutant for mutant in chosen if not mutant.words_only and not explained(mutant)]
    how = {"processes": asked.processes, "expense": asked.expense, "cases": asked.cases}
    found = attempt(asked.folder, tried, asked.tests.split(), how)
    outcomes = Counter(outcome for outcome, *_ in found.values())
    survivors = [mutant for mutant in tried if mutant.name in found and found[mutant.name][0] not in CAUGHT]
    spoken = sum(mutant.words_only for mutant in chosen)
    print(f"{len(every)} mutants, {len(chosen)} asked for: {spoken} change words alone, "
          f"{len(chosen) - spoken - len(tried)} have a reason, {len(found)} of {len(tried)} were tried: "
          f"{dict(outcomes)}, {sum(float(spent) for *_, spent in found.values()):.0f} s of processor time")  # fmt: skip
    for mutant in survivors:
        print(f"{mutant.name} ({found[mutant.name][0]})\n  - {mutant.before}\n  + {mutant.after}")
    for entry in stale:
        print(f"A reason fits no mutant: {entry['function']}, {entry['becomes']}")
    return 1 if survivors or stale or len(found) < len(tried) else 0


if __name__ == "__main__":
    sys.exit(main())
