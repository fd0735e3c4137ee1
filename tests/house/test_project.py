"""What stands around the code: citation, security, notice, metadata, and the figures of the page on epsilon."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
import yaml

import edgedp
from edgedp.graph.engines.native import build

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
EPSILON = (ROOT / "docs" / "epsilon.md").read_text(encoding="utf-8")


def test_the_citation_is_of_this_version() -> None:
    assert str(CITATION["version"]) == edgedp.__version__
    assert CITATION["license"] == PROJECT["project"]["license"]
    assert CITATION["repository-code"] == PROJECT["project"]["urls"]["Repository"]
    assert {"cff-version", "message", "title", "authors"} <= set(CITATION)


PAPERS = {
    "em": "Mechanism Design via Differential Privacy",
    "pf": "Permute-and-Flip",
    "ld": "Local Dampening",
    "sld": "Local Dampening",
    "joint": None,  # ours
    "distance": "Privacy-preserving Statistical Estimation",
    "calibrated": None,  # ours
    "geometric": "Universally Utility-Maximizing",
    "staircase": "Optimal Noise-Adding",
    "ladder": "Ladder Functions",
    "smooth": "Smooth Sensitivity and Sampling",
    "nls": "Private Analysis of Graph Structure",
    "lls": "Instance-based noise",
}
"""Of each mechanism, words of the title of its paper."""


def test_the_papers_of_all_mechanisms_are_cited() -> None:
    from edgedp.words.vocabulary import MECHANISMS, NUMBER_MECHANISMS, PERCENTILE_MECHANISMS

    assert {*MECHANISMS, *NUMBER_MECHANISMS, *PERCENTILE_MECHANISMS} == set(PAPERS)
    titles = [reference["title"] for reference in CITATION["references"]]
    assert len(set(titles)) == len(titles)
    for name, words in PAPERS.items():
        assert words is None or any(words in title for title in titles), name
    for reference in CITATION["references"]:
        assert {"type", "title", "authors", "year"} <= set(reference), reference["title"]


def test_the_notice_names_whatever_is_bundled() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    words = " ".join(notice.split())
    for entry in edgedp.datasets():
        if entry.bundled:
            assert entry.edge_list.bundled is not None
            assert entry.edge_list.bundled.name in notice
            assert entry.page in notice
            for cited in entry.citation.split("; "):
                assert cited.rstrip(".") in words
    assert "NOTICE" in PROJECT["project"]["license-files"]


def test_the_links_of_the_readme_work_on_a_package_index() -> None:
    spec = spec_from_file_location("hatch_readme", ROOT / "hatch_readme.py")
    assert spec is not None
    assert spec.loader is not None
    hook = module_from_spec(spec)
    spec.loader.exec_module(hook)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    whole = hook.with_whole_links(readme, PROJECT["project"]["urls"]["Repository"], edgedp.__version__)
    targets = re.findall(r"\]\(([^)\s]+)\)", whole)
    assert len(targets) == len(re.findall(r"\]\(([^)\s]+)\)", readme)) > 10
    assert all(target.startswith("https://") for target in targets)
    for version, tree in (("0.2.0.dev0", "main"), ("0.2.0", "v0.2.0")):
        assert hook.with_whole_links("[a](b.md)", "https://x", version) == f"[a](https://x/blob/{tree}/b.md)"


def test_one_command_sets_the_version_everywhere(tmp_path: Path) -> None:
    import doctest

    spec = spec_from_file_location("version", ROOT / "docs" / "version.py")
    assert spec is not None
    assert spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    assert doctest.testmod(script).failed == 0
    set_version = script.set_version
    names = [*script.PLACES, "CHANGELOG.md"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    set_version(tmp_path, "7.8.9", "2031-02-03")
    for name in names:
        assert (tmp_path / name).read_text(encoding="utf-8").count("7.8.9") == 1, name
    for name, pattern in script.PLACES.items():
        assert re.search(
            pattern.replace(script.FORM, re.escape(edgedp.__version__)), (ROOT / name).read_text()
        ), name
        assert re.search(pattern, (tmp_path / name).read_text())[0].count("7.8.9") == 1, name  # type: ignore[index]
    cited = yaml.safe_load((tmp_path / "CITATION.cff").read_text(encoding="utf-8"))
    assert (cited["version"], str(cited["date-released"])) == ("7.8.9", "2031-02-03")
    assert (
        tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
        == "7.8.9"
    )
    set_version(tmp_path, "7.9.0.dev0", "2031-02-04")
    assert "date-released" not in (tmp_path / "CITATION.cff").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[:2] == ["Unreleased (7.9.0.dev0)", "7.8.9 (2031-02-03)"]
    before = (tmp_path / "pyproject.toml").read_bytes()
    (tmp_path / "CITATION.cff").write_text("version: of no kind\n", encoding="utf-8")
    for version in ("8.0.0", "8", ""):
        with pytest.raises(SystemExit):
            set_version(tmp_path, version, "2031-02-05")
        assert (tmp_path / "pyproject.toml").read_bytes() == before, "all or none"


def test_the_build_hook_loads_what_compiles_without_the_package() -> None:
    """As an installer does, in a process of its own: what a module leaves behind here would help it."""
    code = (
        "import sys, runpy; hook = runpy.run_path('hatch_build.py')['EdgedpHook']; "
        "made = hook(sys.argv[1], {}, None, None, '', 'wheel'); made.dependencies(); assert 'edgedp' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(ROOT)], cwd=ROOT, check=True, timeout=240)


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_what_the_forge_reads_is_sound(path: Path) -> None:
    written = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.stem == "release":
        built = written["jobs"]["wheels"]["strategy"]["matrix"]["target"]
        tried = [each["target"] for each in written["jobs"]["tried"]["strategy"]["matrix"]["include"]]
        assert built == tried == list(build.TARGETS)
        assert {"wheels", "sources", "tried"} == set(written["jobs"]["publish"]["needs"])
        assert written["jobs"]["publish"]["permissions"]["id-token"] == "write"
        assert not [job for job in written["jobs"].values() if "secrets." in str(job)]  # nothing to be stolen
    elif path.parent.name == "workflows":
        tested = written["jobs"]["test"]["strategy"]["matrix"]["python"]
        declared = [
            word.rpartition(" ")[2]
            for word in PROJECT["project"]["classifiers"]
            if re.search(r":: 3\.\d+$", word)
        ]
        assert tested == declared
        assert {"run": ".ci/run", "env": {"PYTHON": "python"}} in written["jobs"]["test"]["steps"]
    elif path.stem != "config":
        assert {"name", "description", "body"} <= set(written)


def rows(page: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line[:2] == "| "
    ]


def number(told: str) -> float:
    return float(re.sub(r"[^0-9.]", "", told))


def test_the_odds_of_the_page_on_epsilon() -> None:
    odds = [row for row in rows(EPSILON) if len(row) == 5 and row[0].replace(".", "").isdigit()]
    assert [row[0] for row in odds] == ["0.1", "0.5", "1", "3", "10"]
    for epsilon, factor, even, rare, _ in odds:
        grown = math.exp(float(epsilon))
        assert number(factor) == pytest.approx(grown, rel=0.01)
        assert number(even) == pytest.approx(100 * grown / (1 + grown), rel=0.001)
        assert number(rare) == pytest.approx(100 * grown / (99 + grown), rel=0.03)
    together = [row for row in rows(EPSILON) if len(row) == 4 and row[0].isdigit()]
    for edges, *told in together:
        for amount, factor in zip((0.01, 0.1, 1), told, strict=True):
            if factor == "no promise":
                assert int(edges) * amount > 20
            else:
                assert number(factor) == pytest.approx(math.exp(int(edges) * amount), rel=0.01)


def test_the_budget_by_hand_adds_up() -> None:
    spent = 0.0
    releases = [row for row in rows(EPSILON) if len(row) == 4 and "times" in row[1]]
    releases = [row for row in releases if re.fullmatch(r"\d times [0-9.]+", row[1])]
    assert len(releases) == 3
    for _, epsilon, after, left in releases:
        count, each = epsilon.split(" times ")
        spent += int(count) * float(each)
        assert float(after) == pytest.approx(spent)
        assert float(left) == pytest.approx(3 - spent)
