"""Every hole that a hostile reading of 0.1.0 found, and what keeps it closed.

`ITEMS` says for each, in the order in which they were found, which tests close it. Where the hole can be shown by what
0.1.0 and later versions have in common, `holes` tries it on the wheel of 0.1.0, where it must be open, and on this
version, where it must be closed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

import edgedp
import holes
from edgedp import EdgeDPError
from edgedp.release.plan import Plan, PublicFacts, plan
from edgedp.words.vocabulary import Kind
from neo4jserver import Server
from places import files_of_tests

TESTS = Path(__file__).parents[1]
WHEEL = TESTS / "fixtures" / "edgedp-0.1.0-py3-none-any.whl"


@dataclass(frozen=True)
class Item:
    """What was open, the functions of `holes` that show it, and the tests that close it."""

    number: int
    says: str
    shown_by: tuple[str, ...]
    closed_by: tuple[str, ...]


ITEMS = (
    Item(
        1, "a second path and a kill reset the ledger", ("a_second_path_and_a_kill_reset_the_ledger",),
        (
            "test_embedded.py::test_every_path_leads_to_one_ledger_also_after_a_kill",
            "test_embedded.py::test_a_renamed_store_keeps_its_history",
            "test_embedded.py::test_links_inside_the_folder_are_refused",
        ),
    ),
    Item(
        2, "a load is not all or nothing", ("a_load_is_not_all_or_nothing",),
        (
            "test_embedded.py::test_a_load_on_a_full_disk_leaves_the_old_graph_whole",
            "test_embedded.py::test_a_kill_in_a_load_leaves_the_old_graph_whole",
            "test_campaign.py::test_kills_of_replacements_leave_no_half_graph",
        ),
    ),
    Item(
        3, "damage is believed, in log, ledger and graph", ("a_flipped_bit_changes_the_budget",),
        (
            "test_campaign.py::test_flipped_bits_are_refused_in_words_or_change_nothing",
            "test_campaign.py::test_cut_files_are_refused_in_words_or_change_nothing",
            "test_ledger.py::test_a_row_that_is_not_sound_is_never_believed",
            "test_embedded.py::test_a_damaged_version_is_refused_before_the_debit_and_never_opened",
        ),
    ),
    Item(
        4, "the ledger is locked while a graph is read", ("the_ledger_is_locked_while_a_graph_is_read",),
        (
            "test_embedded.py::test_nothing_is_locked_while_a_release_is_read_and_drawn",
            "test_embedded.py::test_four_processes_get_exactly_fifty_releases",
            "test_embedded.py::test_whoever_gives_up_waiting_does_not_keep_the_others_waiting",
        ),
    ),
    Item(
        5, "the umask is the process's, an empty file is a store, a full disk is met too late",
        ("an_empty_file_is_a_store",),
        (
            "test_embedded.py::test_the_folder_and_its_files_are_for_their_owner_alone_and_the_umask_is_left_alone",
            "test_embedded.py::test_what_is_no_store_is_refused_in_one_sentence_and_left_alone",
            "test_embedded.py::test_a_load_that_the_disk_has_no_room_for_is_refused_and_a_release_needs_none",
            "test_campaign.py::test_a_small_disk_that_is_full_loses_at_most_budget",
        ),
    ),
    Item(
        6, "a store has no version", ("a_store_has_no_version",),
        (
            "test_embedded.py::test_a_newer_store_is_refused_and_not_written",
            "test_migration.py::test_a_store_of_the_old_kind_says_the_same_afterwards",
            "test_migration.py::test_a_migration_that_is_killed_is_finished_by_whoever_comes_next",
            "test_migration.py::test_a_second_hard_link_is_refused_and_nothing_written",
        ),
    ),
    Item(
        7, "a load writes into a registered graph", ("a_load_writes_into_a_registered_graph",),
        (
            "test_neo4j_promises.py::test_a_load_writes_into_nobodys_type",
            "test_neo4j_promises.py::test_a_registration_that_won_stops_the_load_that_began_before",
        ),
    ),
    Item(
        8, "what a load or a drop left is registered with a fresh budget", ("what_a_load_left_is_registered_afresh",),
        (
            "test_neo4j_promises.py::test_what_a_drop_left_is_not_to_be_registered",
            "test_neo4j_promises.py::test_a_registration_while_a_load_runs_is_seen_by_one_of_the_two",
            "test_neo4j_promises.py::test_a_load_and_a_registration_cannot_share_nodes",
        ),
    ),
    Item(
        9, "the number of nodes is not looked at again", ("nodes_that_were_added_are_not_noticed",),
        (
            "test_draw.py::test_a_graph_of_other_nodes_than_planned_is_refused",
            "test_neo4j_promises.py::test_nodes_that_somebody_added_to_a_loaded_graph_cost_nothing",
            "test_neo4j_backend.py::test_nodes_that_come_in_between_are_refused_in_constant_words",
        ),
    ),
    Item(
        10, "a release is drawn from several readings", ("a_release_is_drawn_from_several_readings",),
        (
            "test_neo4j_backend.py::test_cypher_is_refused_for_a_release_before_anything_is_asked",
            "test_neo4j_backend.py::test_edges_to_nodes_that_were_not_caught_are_left_out",
            "test_embedded.py::test_the_cypher_engine_is_for_exact_values_alone",
        ),
    ),
    Item(
        11, "a node without its id ends in a raw error after the debit", ("a_node_without_an_id_drains_the_budget",),
        (
            "test_draw.py::test_nodes_without_an_id_of_their_own_are_refused",
            "test_draw.py::test_refusals_are_listed_once_and_hold_no_figure",
            "test_draw.py::test_whatever_nobody_foresaw_is_said_in_the_constant_sentence",
            "test_neo4j_backend.py::test_ids_that_break_after_the_debit_are_refused_in_constant_words",
        ),
    ),
    Item(
        12, "edgedp can be made to write its own ledger", ("its_own_ledger_can_be_registered",),
        (
            "test_neo4j_plugin.py::test_labels_of_edgedps_own_are_neither_registered_nor_released_nor_written",
            "test_neo4j_plugin.py::test_a_property_of_somebody_else_is_written_over_only_where_that_is_asked_for",
            "test_neo4j_promises.py::test_a_row_of_the_registry_that_was_edited_reads_nothing_of_edgedps_own",
        ),
    ),
    Item(
        13, "an edited account is obeyed", ("a_ledger_that_was_edited_is_obeyed",),
        (
            "test_neo4j_promises.py::test_spent_that_is_not_what_the_releases_cost_is_refused",
            "test_neo4j_promises.py::test_an_account_that_somebody_deleted_comes_back_with_what_was_spent",
            "test_neo4j_plugin.py::test_a_ledger_that_was_edited_is_refused_and_kills_no_worker",
            "test_ledger.py::test_an_account_that_its_log_does_not_say_is_refused_everywhere",
        ),
    ),
    Item(
        14, "data that cannot be released is found after paying", ("a_node_without_an_id_drains_the_budget",),
        (
            "test_neo4j_promises.py::test_broken_nodes_cost_nothing_before_the_debit_and_have_constant_words_after_it",
            "test_neo4j_promises.py::test_two_nodes_with_one_id_cost_nothing",
            "test_neo4j_plugin.py::test_nodes_without_an_id_of_their_own_cost_nothing_at_every_retry",
        ),
    ),
    Item(
        15, "a wait for the worker is taken for one for the ledger; a null kills a worker; an id has no end",
        ("a_request_id_has_no_end",),
        (
            "test_neo4j_plugin_worker.py::test_a_slow_worker_is_not_taken_for_a_ledger_that_is_held",
            "test_neo4j_plugin_worker.py::test_waiting_for_a_worker_does_not_count_against_the_job",
            "test_neo4j_plugin.py::test_a_null_argument_is_refused_in_a_sentence_and_kills_no_worker",
            "test_neo4j_plugin.py::test_a_request_id_has_an_end",
            "test_ledger.py::test_a_request_id_has_an_end",
        ),
    ),
    Item(
        16, "a release that is being drawn is told to be lost", ("a_release_that_is_being_drawn_is_told_to_be_lost",),
        (
            "test_ledger.py::test_a_lease_is_renewed_by_its_drawer",
            "test_neo4j_promises.py::test_a_request_that_is_being_drawn_waits_and_is_never_redrawn",
            "test_neo4j_promises.py::test_a_lease_that_ran_out_means_lost_and_the_late_answer_is_still_one",
            "test_neo4j_plugin_worker.py::test_a_release_that_is_being_drawn_is_not_drawn_twice",
        ),
    ),
    Item(
        17, "an older program debits a newer ledger", (),
        (
            "test_neo4j_old.py::test_a_database_of_0_1_0_migrates_with_what_was_spent_and_shuts_0_1_0_out",
            "test_neo4j_old.py::test_the_jar_of_0_1_0_debits_nothing_in_a_migrated_database",
            "test_neo4j_backend.py::test_the_number_of_the_version_stands_in_every_statement_that_locks_or_debits",
        ),
    ),
    Item(
        18, "a missing engine is found after paying", ("an_engine_that_is_missing_is_paid_for",),
        (
            "test_embedded.py::test_a_missing_engine_is_found_before_the_debit",
            "test_kernel_library.py::test_without_the_library_igraph_serves_and_one_line_says_so",
            "test_kernel_library.py::test_a_damaged_library_is_as_a_missing_one",
        ),
    ),
    Item(
        19, "a kept release is shown with the facts of today", ("a_kept_release_is_shown_with_the_facts_of_today",),
        (
            "test_ledger.py::test_a_kept_release_shows_the_facts_that_it_was_drawn_under",
            "test_neo4j_promises.py::test_a_kept_release_is_shown_with_the_facts_that_it_was_drawn_under",
            "test_neo4j_plugin.py::test_a_kept_release_is_shown_though_the_graph_changed_since",
        ),
    ),
    Item(
        20, "a word that is not known is taken for another mechanism", ("an_unknown_word_is_another_mechanism",),
        (
            "test_samplers.py::test_a_sampler_is_found_by_its_name_and_by_no_other",
            "test_samplers.py::test_no_other_place_asks_which_sampler_it_is",
            "test_draw.py::test_every_kind_of_release_answers_with_ids_in_the_order_of_its_positions",
            "test_holes.py::test_no_unknown_word_is_planned",
        ),
    ),
    Item(
        21, "a delta that promises nothing, a limit above the budget, an empty name; nobody is told who did what",
        ("a_delta_that_promises_nothing_is_taken", "a_limit_above_the_budget_is_taken", "who_did_what_is_not_told"),
        (
            "test_ledger.py::test_a_delta_that_promises_nothing_is_refused",
            "test_ledger.py::test_a_limit_above_the_budget_is_refused",
            "test_registry.py::test_an_empty_name_is_refused_also_by_the_command",
            "test_ledger.py::test_the_log_says_what_happened_when_and_by_whom",
            "test_ledger.py::test_an_export_that_was_changed_is_noticed",
            "test_ledger.py::test_a_changed_export_with_a_new_chain_is_noticed_only_against_a_head_from_elsewhere",
            "test_neo4j_promises.py::test_the_log_names_the_user_whom_the_database_authenticated",
        ),
    ),
    Item(
        22, "an older copy is taken for the ledger", ("an_older_copy_is_taken_for_the_ledger",),
        (
            "test_ledger.py::test_a_backup_is_a_store_and_an_older_one_is_refused_by_its_heads",
            "test_ledger.py::test_a_backup_during_releases_and_replacements_is_consistent",
        ),
    ),
    Item(
        23, "what is kept is named by a hash of the edges", ("what_is_kept_is_named_by_a_hash_of_the_edges",),
        (
            "test_ledger.py::test_the_same_edges_have_different_fingerprints_in_different_stores",
            "test_ledger.py::test_the_log_holds_neither_fingerprint_nor_digest",
            "test_ledger.py::test_edges_that_have_another_ledger_are_a_warning_also_after_a_drop",
            "test_pareto_cache.py::test_no_name_and_no_byte_of_a_file_can_be_computed_from_a_guess_of_the_edges",
            "test_pareto_cache.py::test_a_stored_graph_goes_by_the_secret_of_its_store",
        ),
    ),
)  # fmt: skip


def test_every_hole_is_tried_and_every_test_that_closes_one_exists() -> None:
    assert [item.number for item in ITEMS] == list(range(1, 24))
    assert {name for item in ITEMS for name in item.shown_by} == {*holes.TRIED, *holes.ON_NEO4J}
    for item in ITEMS:
        for place in item.closed_by:
            file, name = place.split("::")
            assert re.search(rf"^def {name}\(", files_of_tests()[file].read_text(encoding="utf-8"), re.M), (
                place
            )


WORDS: tuple[tuple[Kind, dict[str, Any]], ...] = (
    ("priv_top_k", {"metric": "degree"}),
    ("priv_top_k", {"mechanism": "sld"}),
    ("priv_top_k", {"sampler": "exponential", "mechanism": "em"}),
    ("priv_top_k", {"shift": "up", "mechanism": "sld"}),
    ("priv_top_k", {"proxy": "both", "metric": "ebc"}),
    ("priv_top_k", {"sensitivity_form": "degree", "metric": "ebc", "mechanism": "sld"}),
    ("motkin", {"approach": "pareto"}),
    ("motkin", {"sensitivity": "local"}),
    ("motkin", {"metrics": "ebc"}),
    ("count", {"of": "edges"}),
    ("distribution", {"form": "ccdf"}),
)


@pytest.mark.parametrize(("kind", "options"), WORDS)
def test_no_unknown_word_is_planned(kind: Kind, options: dict[str, Any]) -> None:
    """A word that one letter makes unknown is refused by its name, and never stands for another one."""
    needed = {
        "priv_top_k": {"metric": "degree", "k": 1},
        "motkin": {"metrics": ["degree", "density"], "k": 1},
    }.get(kind, {})
    (name, word), *_ = options.items()
    given: dict[str, Any] = needed | {"epsilon": "0.1"} | options

    def ask(text: str) -> Plan:
        return plan(kind, given | {name: ["degree", text] if name == "metrics" else text}, PublicFacts(9))

    ask(word)
    with pytest.raises(EdgeDPError, match=f"'{word}x'"):
        ask(f"{word}x")
    with pytest.raises(EdgeDPError, match=f"'{kind}x'"):
        plan(cast(Kind, f"{kind}x"), given, PublicFacts(9))


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack edgedp 0.1.0."""
    folder = tmp_path_factory.mktemp("edgedp-0.1.0")
    with zipfile.ZipFile(WHEEL) as wheel:
        wheel.extractall(folder)
    return folder


def begin(package: Path, *arguments: object, **environment: str) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("EDGEDP_")}
    return subprocess.Popen(
        [sys.executable, holes.__file__, *map(str, arguments)], stdout=subprocess.PIPE, text=True,
        env=kept | environment | {"PYTHONPATH": str(package)},
    )  # fmt: skip


def end(process: subprocess.Popen[str]) -> dict[str, bool]:
    said = process.communicate()[0]
    assert process.returncode == 0
    found: dict[str, bool] = json.loads(said)
    return found


def now() -> Path:
    return Path(edgedp.__file__).parents[1]


@pytest.mark.wide
def test_what_was_open_in_0_1_0_is_closed(before: Path, tmp_path: Path) -> None:
    """Each in an embedded store of its own; both versions at the same time."""
    running: list[subprocess.Popen[str]] = []
    for package in (before, now()):
        folder = tmp_path / str(len(running))
        folder.mkdir()
        running.append(begin(package, folder))
    assert [end(each) for each in running] == [dict.fromkeys(holes.TRIED, state) for state in (True, False)]


@pytest.fixture
def credentials(bare_neo4j: Server) -> Iterator[dict[str, str]]:
    yield {"NEO4J_USERNAME": bare_neo4j.user, "NEO4J_PASSWORD": bare_neo4j.password}
    bare_neo4j.wipe()


@pytest.mark.wide
def test_what_was_open_in_0_1_0_on_neo4j_is_closed(
    before: Path, tmp_path: Path, bare_neo4j: Server, credentials: dict[str, str]
) -> None:
    found = []
    for package in (before, now()):
        found.append(end(begin(package, tmp_path, bare_neo4j.uri, **credentials)))
        bare_neo4j.wipe()
    assert found == [dict.fromkeys(holes.ON_NEO4J, state) for state in (True, False)]
