from __future__ import annotations

import hashlib
import os
import stat

import numpy as np
import pytest

from edgedp import motkin, open_store
from edgedp.graph.graph import Graph
from edgedp.mechanisms.pareto.cache import Measured, kept_or_measured, profile_folder, profile_key
from edgedp.mechanisms.pareto.profile import ParetoProfile
from edgedp.mechanisms.projection import GraphProjection
from edgedp.mechanisms.sampling.words import SecureWords
from edgedp.release.draw import draw
from edgedp.release.plan import PublicFacts, plan

PROFILE = Measured(
    np.array([[3.0, 0.1], [2.0, 1 / 3], [2.0, 0.5], [1.0, -0.0]]),
    np.array([0, 0, 0, -3]),
    ParetoProfile(3, np.array([0, 2, 2, 3, 3]), np.array([0, 2, 1], dtype=np.int32)),
)
OTHER = Measured(
    np.array([[3.0], [2.0], [2.0], [np.nextafter(1.0, 2)]]),
    np.array([0, -1, -1, -3]),
    ParetoProfile(3, np.array([0, 0, 0, 0, 1]), np.array([2], dtype=np.int32)),
)
KEY = profile_key("f" * 64, form="interval")

on_posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="the system knows no file owners")


def never():
    raise AssertionError("computed although it was kept")


def equal(one, other):
    def arrays(measured):
        profile = measured.profile
        return (measured.utilities, measured.scores, profile.offsets, profile.deltas)

    return one.profile.ceiling == other.profile.ceiling and all(
        mine.dtype == theirs.dtype and mine.shape == theirs.shape and mine.tobytes() == theirs.tobytes()
        for mine, theirs in zip(arrays(one), arrays(other), strict=True)
    )


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache" / "profiles"


@pytest.fixture
def kept(folder):
    """The file of a kept profile."""
    kept_or_measured(folder, KEY, lambda: PROFILE)
    (path,) = folder.glob("*.profile")
    return path


def names(folder):
    """The names of the kept profiles."""
    return {path.stem for path in folder.glob("*.profile")}


def test_a_profile_is_computed_once(folder):
    assert kept_or_measured(folder, KEY, lambda: PROFILE) is PROFILE
    assert equal(kept_or_measured(folder, KEY, never), PROFILE)
    assert sorted(path.suffix for path in folder.iterdir()) == ["", ".profile"]  # no half-written file stays


def test_one_edge_more_or_another_parameter_is_another_profile(folder):
    parameters = {"metrics": ["degree", "density"], "degree_bound": 3, "form": "interval"}
    before = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    after = Graph.from_edges([(0, 1), (1, 2), (2, 3), (0, 3)])
    kept_or_measured(folder, profile_key(before.fingerprint, **parameters), lambda: PROFILE)
    assert kept_or_measured(folder, profile_key(after.fingerprint, **parameters), lambda: OTHER) is OTHER
    assert equal(kept_or_measured(folder, profile_key(before.fingerprint, **parameters), never), PROFILE)
    for change in ({"metrics": ["density", "degree"]}, {"degree_bound": 2}, {"form": "interval+edge"}):
        assert (
            kept_or_measured(folder, profile_key(before.fingerprint, **(parameters | change)), lambda: OTHER)
            is OTHER
        )


def test_without_a_metric_that_can_move_there_is_nothing_to_keep_but_that(folder):
    nothing = Measured(
        np.zeros((2, 0)),
        np.zeros(2, dtype=np.int64),
        ParetoProfile(1, np.zeros(3, dtype=np.int64), np.zeros(0, dtype=np.int32)),
    )
    kept_or_measured(folder, KEY, lambda: nothing)
    assert equal(kept_or_measured(folder, KEY, never), nothing)


@on_posix
def test_only_the_owner_reads_it(kept):
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


def test_no_flipped_byte_is_believed(folder, kept):
    whole = kept.read_bytes()
    for position in range(len(whole)):
        kept.write_bytes(whole[:position] + bytes([whole[position] ^ 0xFF]) + whole[position + 1 :])
        assert kept_or_measured(folder, KEY, lambda: OTHER) is OTHER


@pytest.mark.parametrize("content", [b"", b"\x80\x04.", b"no profile at all" * 50])
def test_a_damaged_file_is_replaced(folder, kept, content):
    kept.write_bytes(content)
    assert kept_or_measured(folder, KEY, lambda: OTHER) is OTHER
    assert equal(kept_or_measured(folder, KEY, never), OTHER)


def test_a_truncated_file_is_replaced(folder, kept):
    kept.write_bytes(kept.read_bytes()[:-30])
    assert kept_or_measured(folder, KEY, lambda: OTHER) is OTHER


def test_the_file_of_another_key_is_not_believed(folder, kept):
    other = profile_key("e" * 64, form="interval")
    kept_or_measured(folder, other, lambda: OTHER)
    (beside,) = set(folder.glob("*.profile")) - {kept}
    kept.replace(beside)
    assert kept_or_measured(folder, other, lambda: OTHER) is OTHER


@on_posix
def test_what_others_can_open_is_neither_read_nor_written(folder, kept):
    kept.chmod(0o644)
    assert kept_or_measured(folder, KEY, lambda: OTHER) is OTHER  # and the file is replaced
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    folder.chmod(0o777)
    kept_before = kept.read_bytes()
    assert kept_or_measured(folder, KEY, lambda: PROFILE) is PROFILE
    assert kept.read_bytes() == kept_before


@on_posix
def test_the_file_of_another_user_is_not_read(folder, kept, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: kept.stat().st_uid + 1)
    assert kept_or_measured(folder, KEY, lambda: OTHER) is OTHER


@on_posix
def test_a_link_is_not_followed(folder, kept, tmp_path):
    elsewhere = tmp_path / "elsewhere.profile"
    kept.rename(elsewhere)
    kept.symlink_to(elsewhere)
    assert kept_or_measured(folder, KEY, lambda: OTHER) is OTHER


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert kept_or_measured(tmp_path / "cache", KEY, lambda: PROFILE) is PROFILE


def test_the_profiles_unused_for_longest_make_room(folder):
    keys, made = [profile_key("f" * 64, number=number) for number in range(4)], []
    for age, key in enumerate(keys[:3]):
        before = names(folder)
        kept_or_measured(folder, key, lambda: PROFILE)
        made += names(folder) - before
        os.utime(folder / f"{made[-1]}.profile", (1_000 + age, 1_000 + age))
    size = (folder / f"{made[0]}.profile").stat().st_size
    kept_or_measured(folder, keys[0], never)  # used again: now the youngest
    kept_or_measured(folder, keys[3], lambda: PROFILE, most_bytes=3 * size)
    assert len(names(folder)) == 3
    assert names(folder) & set(made) == {made[0], made[2]}
    kept_or_measured(folder, profile_key("f" * 64, number=9), lambda: PROFILE, most_bytes=0)
    assert len(names(folder)) == 1  # the one just written stays


def test_the_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("EDGEDP_CACHE", str(tmp_path))
    assert profile_folder() == tmp_path / "profiles"


# -- what the names tell ----------------------------------------------------------------------------------


def test_no_name_and_no_byte_of_a_file_can_be_computed_from_a_guess_of_the_edges(folder, tmp_path):
    """The same graph in another folder has another name; what one could compute is in neither."""
    other = tmp_path / "other"
    for place in (folder, other):
        kept_or_measured(place, KEY, lambda: PROFILE)
    assert not names(folder) & names(other)
    (path,) = folder.glob("*.profile")
    digest = path.read_bytes()[:32]
    assert names(folder) != {KEY}
    assert digest != hashlib.sha256(KEY.encode() + path.read_bytes()[32:]).digest()
    assert stat.S_IMODE((folder / "secret").stat().st_mode) == 0o600
    assert len((folder / "secret").read_bytes()) == 32


def test_files_of_versions_without_a_secret_are_removed(folder):
    folder.mkdir(parents=True, mode=0o700)
    before = folder / f"{KEY}.profile"
    before.write_bytes(b"named after the edges")
    kept_or_measured(folder, KEY, lambda: PROFILE)
    assert KEY not in names(folder)
    assert len(names(folder)) == 1


@on_posix
@pytest.mark.parametrize("harm", ["short", "open", "gone"])
def test_a_secret_that_is_damaged_or_open_to_others_is_made_anew(folder, kept, harm):
    place = folder / "secret"
    before = place.read_bytes()
    match harm:
        case "short":
            place.write_bytes(before[:5])
        case "open":
            place.chmod(0o644)
        case "gone":
            place.unlink()
    assert kept_or_measured(folder, KEY, lambda: OTHER) is OTHER
    assert equal(kept_or_measured(folder, KEY, never), OTHER)
    assert place.read_bytes() != before
    assert not kept.exists(), "nothing of the old secret stays"


def test_two_processes_make_one_secret(folder, monkeypatch):
    """The other one's is there when this one's would be put into place."""
    link = os.link

    def late(source, place):
        if not place.exists():
            place.write_bytes(b"s" * 32)
            place.chmod(0o600)
        link(source, place)

    monkeypatch.setattr(os, "link", late)
    kept_or_measured(folder, KEY, lambda: PROFILE)
    monkeypatch.undo()
    assert (folder / "secret").read_bytes() == b"s" * 32
    assert equal(kept_or_measured(folder, KEY, never), PROFILE)


def test_a_stored_graph_goes_by_the_secret_of_its_store(tmp_path, monkeypatch):
    """Who has the cache, its secret and all edges but one still lacks the store's secret."""
    from edgedp.mechanisms.pareto import rounds

    monkeypatch.setenv("EDGEDP_CACHE", str(tmp_path / "cache"))
    seen = []

    def keyed(fingerprint, **parameters):
        seen.append(fingerprint)
        return profile_key(fingerprint, **parameters)

    monkeypatch.setattr(rounds, "profile_key", keyed)
    graph = Graph.from_edges([(1, 2), (2, 3), (3, 1)])
    for name in ("one", "two"):
        store = open_store(tmp_path / name)
        store.load(graph, "g", epsilon_budget=10)
        for _ in range(2):
            store.motkin("g", k=1, epsilon=1)
    *_, one, again, two, other = (
        seen  # before them the graph that is tried before a debit, a part of the program
    )
    assert one == again != two == other
    assert graph.fingerprint not in seen


def test_each_bound_form_list_and_engine_has_a_profile_of_its_own(monkeypatch, tmp_path):
    """A profile under a smaller bound would be too small for a larger one."""
    monkeypatch.setenv("EDGEDP_CACHE", str(tmp_path))
    graph = Graph.from_edges([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)], nodes=range(1, 9))
    different: tuple[dict[str, object], ...] = (
        {}, {"degree_bound": 4}, {"degree_bound": 5}, {"sensitivity_form": "interval+edge"},
        {"metrics": ("degree", "ebc")},
    )  # fmt: skip
    for number, options in enumerate(different, start=1):
        for _ in range(2):
            motkin(graph, k=1, epsilon=1, **options)
            assert len(names(profile_folder())) == number
    asked = plan("motkin", {"metrics": ("degree", "density"), "k": 1, "epsilon": 1}, PublicFacts(8))
    draw(asked, GraphProjection(graph, "igraph"), SecureWords())
    assert len(names(profile_folder())) == len(different) + 1
