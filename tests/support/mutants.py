"""Mutants of the law, sampling, prices and the debit: `make mutants`, or a seeded sample by `make mutants SAMPLE=60`.

mutmut changes one operator, number or argument of one function at a time and runs the tests that reach the function.
A mutant that no test fails on is a survivor: kill it by a test, or give the reason in ``mutants.toml``. Why mutmut: the
decision 0021. It wants the package at the root of a folder, so the package, its assets and the tests are copied to one.

Usage: ``python tests/support/mutants.py [--sample N] [--seed S] [--only 'edgedp/mechanisms/sampling/*']
[--tests 'sampling_*']
[--processes P]``. What an earlier run found in the same folder is kept; ``--anew`` forgets it. Fewer
tests begin sooner, and what survives them may be seen by others.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

from places import files_of_tests

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parent
FOLDER = ROOT / "build" / "mutants"
REASONS = HERE / "support" / "mutants.toml"

MUTATED = (
    "edgedp/mechanisms/sampling/*.py",
    *(f"edgedp/mechanisms/{name}.py" for name in ("grid", "joint", "laws", "ranks", "samplers")),
    *(f"edgedp/mechanisms/scores/{name}.py" for name in ("dampening", "picks", "smooth", "steps", "sums")),
    *(
        f"edgedp/mechanisms/adaptive/{name}.py"
        for name in ("closed", "purchases", "top_k", "until_sure", "vectors")
    ),
    *(f"edgedp/mechanisms/pareto/{name}.py" for name in ("rounds", "score")),
    "edgedp/mechanisms/numbers/*.py",
    "edgedp/words/amounts/*.py",
    "edgedp/mechanisms/metrics/*.py",
    "edgedp/mechanisms/counts/*.py",
    "edgedp/release/draw.py",
    "edgedp/ledger/debits/debiting.py",
    "edgedp/ledger/script.py",
)
"""The law, sampling, sensitivities, prices, and what runs a debit; patterns of folders hold for what is below. What
follows from released values alone (choices, fits, estimates), plans and pages are left out."""

TESTS = (
    *(
        "adaptive",
        "admissibility",
        "betweenness2",
        "conversions",
        "coupling",
        "counts",
        "cut_theorem",
        "dampening",
    ),
    *(
        "draw",
        "epsilon",
        "joint",
        "kinds",
        "laws",
        "ledger",
        "mechanisms",
        "metrics",
        "motkin",
        "number_laws",
        "numbers",
    ),
    *(
        "pareto_profile",
        "percentile",
        "plan",
        "reached",
        "rho",
        "samplers",
        "sampling_geometric",
        "sampling_late",
    ),
    *(
        "sampling_noise",
        "sampling_refine",
        "sampling_select",
        "sampling_words",
        "select",
        "shares",
        "smooth",
        "steps",
        "until_sure",
    ),
)
"""The fast tests of these; mutmut takes of them what reaches a function, the fastest first."""

SETTINGS = """
[tool.pytest.ini_options]
addopts = ["--import-mode=importlib", "--strict-markers", "-p", "no:cacheprovider"]
pythonpath = {paths}
markers = ["slow: x", "wide: x", "neo4j: x", "spark: x"]

[tool.mutmut]
source_paths = ["edgedp"]
only_mutate = {mutated}
also_copy = ["tests", "docs", "loaders", "queries"]
pytest_add_cli_args = ["-n0", "-m", "not slow and not wide and not neo4j and not spark"]
pytest_add_cli_args_test_selection = {tests}
"""

GENERATE = """
from mutmut.__main__ import copy_also_copy_files, copy_src_dir, create_mutants, set_mutant_under_test
import os
if __name__ == "__main__":
    set_mutant_under_test("mutant_generation")
    os.makedirs("mutants", exist_ok=True)
    copy_src_dir(); copy_also_copy_files(); create_mutants(1)
"""

SURVIVED, UNREACHED = 0, 33


def lay_out(folder: Path, only: str | None, asked_tests: str) -> None:
    """Copy what mutmut needs to a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    copies = {
        "plugin/edgedp": "edgedp",
        "tests": "tests",
        "docs": "docs",
        "queries": "queries",
        "loaders": "loaders",
    }
    for source, target in copies.items():
        shutil.copytree(
            ROOT / source, folder / target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
        )
    for assets in ("queries", "loaders"):
        shutil.copytree(ROOT / assets, folder / "edgedp" / "assets" / assets, dirs_exist_ok=True)
    mutated = [pattern for pattern in MUTATED if only is None] or [str(only)]
    tests = [
        str(files_of_tests()[f"test_{stem}.py"].relative_to(ROOT))
        for stem in TESTS
        if fnmatch(stem, asked_tests)
    ]
    folders = sorted({path.parent for path in files_of_tests().values()})
    paths = [str(path.relative_to(ROOT)) for path in (HERE, HERE / "support", *folders)] + ["docs/examples"]
    settings = SETTINGS.format(mutated=json.dumps(mutated), tests=json.dumps(tests), paths=json.dumps(paths))
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")


def mutmut(folder: Path, *words: str, quiet: bool = False) -> str:
    """Run mutmut, or a script that uses it, and return what it prints."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, check=False, text=True, encoding="utf-8",
        stdout=subprocess.PIPE if quiet else None,
    )  # fmt: skip
    return done.stdout or ""


def outcomes(folder: Path) -> dict[str, int | None]:
    """Return how each mutant ended: 0 where every test passed, None where it was not tried."""
    found: dict[str, int | None] = {}
    for kept in sorted((folder / "mutants").rglob("*.py.meta")):
        found |= json.loads(kept.read_text(encoding="utf-8"))["exit_code_by_key"]
    return found


def changed(folder: Path, mutant: str) -> tuple[str, str, str]:
    """Return the function of a mutant, the line that was changed and what became of it: numbers change, these stay."""
    shown = mutmut(folder, "-m", "mutmut", "show", mutant, quiet=True).splitlines()
    before, after = (
        " ".join(
            line[1:].strip() for line in shown if line.startswith(sign) and not line.startswith(3 * sign)
        )
        for sign in "-+"
    )
    return mutant.rpartition("__mutmut_")[0], before, after


def explained(change: tuple[str, str, str]) -> str | None:
    """Return the reason that is given for a survivor, if there is one."""
    function, _, after = change
    for entry in tomllib.loads(REASONS.read_text(encoding="utf-8"))["survivor"]:
        if fnmatch(function, entry["function"]) and entry["becomes"] in ("*", after):
            return str(entry["reason"])
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description="Mutants of what privacy rests on.")
    parser.add_argument("--sample", type=int, help="try so many, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--only", help="files, by a pattern such as 'edgedp/mechanisms/sampling/*.py'")
    parser.add_argument(
        "--tests",
        default="*",
        help="files of tests, by a pattern such as 'sampling_*'; what they miss others may see",
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--anew", action="store_true", help="forget what earlier runs found")
    asked = parser.parse_args()
    if asked.anew:
        shutil.rmtree(FOLDER, ignore_errors=True)
    lay_out(FOLDER, asked.only, asked.tests)
    mutmut(FOLDER, "-c", GENERATE)
    every = sorted(outcomes(FOLDER))
    names = every if asked.sample is None else sorted(random.Random(asked.seed).sample(every, asked.sample))
    mutmut(
        FOLDER,
        "-m",
        "mutmut",
        "run",
        "--max-children",
        str(asked.processes),
        *(names if asked.sample else ()),
    )
    ended = {name: code for name, code in outcomes(FOLDER).items() if name in names}
    survivors = [name for name, code in ended.items() if code in (SURVIVED, UNREACHED)]
    unexplained = {name: change for name in survivors if not explained(change := changed(FOLDER, name))}
    tried = sum(code is not None for code in ended.values())
    print(
        f"\n{len(every)} mutants, {tried} tried, {len(survivors)} survive, {len(unexplained)} of them without a reason"
    )
    for name, (_, before, after) in unexplained.items():
        print(f"{name}\n  - {before}\n  + {after}")
    return 1 if unexplained or tried < len(names) else 0


if __name__ == "__main__":
    sys.exit(main())
