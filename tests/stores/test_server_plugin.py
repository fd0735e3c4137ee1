"""Putting the plugin into a Neo4j home and taking it out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import edgedp
from edgedp.stores.neo4j import plugin as server_plugin
from edgedp.stores.neo4j.plugin import PluginFiles, install, installed_files, plugin_jar, uninstall
from edgedp.words.errors import StoreError


@pytest.fixture
def jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in for the built jar: what is in it does not matter here."""
    path = tmp_path / "assets" / "jar" / f"edgedp-neo4j-{edgedp.__version__}.jar"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"jar of this version")
    monkeypatch.setattr(server_plugin, "asset", lambda *parts: tmp_path.joinpath("assets", *parts))
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "neo4j home"
    (folder / "conf").mkdir(parents=True)
    (folder / "conf" / "neo4j.conf").touch()
    return folder


def test_installs_the_jar_and_names_this_python(jar: Path, home: Path) -> None:
    files = install(home)
    assert files == installed_files(home)
    assert files == PluginFiles(
        edgedp.__version__,
        home / "plugins" / jar.name,
        home / "conf" / "edgedp.conf",
        sys.executable,
    )
    assert (home / "plugins" / jar.name).read_bytes() == jar.read_bytes()


def test_an_upgrade_replaces_the_jar_and_keeps_other_settings(jar: Path, home: Path) -> None:
    (home / "plugins").mkdir()
    for name in ("edgedp-neo4j-0.0.1.jar", "apoc-5.26.jar"):
        (home / "plugins" / name).touch()
    conf = home / "conf" / "edgedp.conf"
    conf.write_text("# mine\nworker.count=5\nworker.python = /old/python\n")
    install(home, "C:\\Python\\python.exe")
    assert sorted(path.name for path in (home / "plugins").iterdir()) == ["apoc-5.26.jar", jar.name]
    assert conf.read_text() == "# mine\nworker.count=5\nworker.python=C:\\\\Python\\\\python.exe\n"
    assert installed_files(home).python == "C:\\Python\\python.exe"


def test_uninstall_leaves_what_is_not_its_own(jar: Path, home: Path) -> None:
    before = install(home)
    (home / "plugins" / "apoc-5.26.jar").touch()
    assert uninstall(home) == before
    assert installed_files(home) == PluginFiles(None, None, None, None)
    assert [path.name for path in (home / "plugins").iterdir()] == ["apoc-5.26.jar"]
    assert [path.name for path in (home / "conf").iterdir()] == ["neo4j.conf"]
    assert uninstall(home) == PluginFiles(None, None, None, None)


@pytest.mark.parametrize("act", [install, uninstall, installed_files])
def test_a_folder_that_is_no_home_is_refused(
    jar: Path, tmp_path: Path, act: Callable[[Path], object]
) -> None:
    with pytest.raises(
        StoreError, match=r"must be a folder with conf/neo4j\.conf; give the server's NEO4J_HOME"
    ):
        act(tmp_path)


def test_an_installation_without_the_jar_says_so(jar: Path, home: Path) -> None:
    jar.unlink()
    with pytest.raises(
        StoreError,
        match=r"is not in this installation; run 'make jar' in a checkout, which takes Maven, or install",
    ):
        install(home)
    assert not (home / "plugins").exists()


def test_a_home_that_cannot_be_written_is_one_line(jar: Path, home: Path) -> None:
    (home / "plugins").write_text("a file where a folder should be")
    with pytest.raises(StoreError, match="cannot be written"):
        install(home)


def test_a_checkout_finds_the_jar_that_maven_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_plugin, "asset", lambda *parts: tmp_path.joinpath(*parts))
    built = tmp_path / "plugin" / "neo4j" / "target" / f"edgedp-neo4j-{edgedp.__version__}.jar"
    built.parent.mkdir(parents=True)
    built.touch()
    assert plugin_jar() == built


def test_the_jar_has_the_version_of_the_package() -> None:
    pom = (Path(__file__).resolve().parents[2] / "plugin" / "neo4j" / "pom.xml").read_text()
    assert f"<version>{edgedp.__version__}</version> <!-- the version of pyproject.toml" in pom
