"""Mistakes as edits: a line of the product as it is, and as somebody might have written it.

Where a mistake is one line inside a function, no patch around the function says it. So the function gets the code that
it would have with that line changed, whoever has imported it. `sabotage.SABOTAGES` takes up `EDITS`.
"""

from __future__ import annotations
import __future__

import inspect
import textwrap
from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple

__all__ = ["EDITS", "Edit", "edited"]


class Edit(NamedTuple):
    """What goes wrong, in which function, what its line says and would say, and the test that must fail."""

    name: str
    function: str
    right: str
    wrong: str
    caught_by: str


def edited(right: str, wrong: str) -> Callable[[Any], CodeType]:
    """Return what makes of a function's code the same one with `wrong` in the place of `right`, which is there once."""

    def changed(real: Any) -> CodeType:
        source = textwrap.dedent(inspect.getsource(real))
        assert source.count(right) == 1, "the function was changed; change its sabotage"
        flags = __future__.annotations.compiler_flag
        whole = compile(source.replace(right, wrong), real.co_filename, "exec", flags)
        (code,) = (
            each for each in whole.co_consts if isinstance(each, CodeType) and each.co_name == real.co_name
        )
        return code

    return changed


EDITS = [
    Edit(
        "entries of cuts by position, kept in the order of a ranking",
        "edgedp.mechanisms.adaptive.vectors:CutVector.remembering",
        "self.shares(None)[new] if len(new) == self.count else self.shares(new)",
        "self.shares(None if len(new) == self.count else new)",
        "test_until_sure.py::test_where_little_noise_is_left_the_list_is_the_one_without_noise",
    ),
    Edit(
        "a further debit at a gateway as soon as the draw before it ends",
        "edgedp.faces.gateway.context:Gateway.release",
        "if flight.begun:",
        "if False:",
        "test_gateway_inside.py::test_a_debit_that_follows_a_draw_waits_for_a_step",
    ),
    Edit(
        "a row that was seen before and is not compared",
        "edgedp.ledger.log.remembered:Remembered.compare",
        "if before is not None and before not in marks:",
        "if False:",
        "test_remembered.py::test_an_older_copy_that_was_written_to_is_noticed_by_its_row",
    ),
    Edit(
        "what a slow thread saw replaces what was seen since",
        "edgedp.ledger.log.remembered:Remembered.keep",
        "if before is None or before.seq < seen.seq:",
        "if True:",
        "test_remembered.py::test_what_a_slow_thread_saw_takes_nothing_back",
    ),
    Edit(
        "the nearest head in place of the furthest",
        "edgedp.ledger.log.heads:furthest",
        "kept[name].seq < head.seq",
        "kept[name].seq > head.seq",
        "test_remembered.py::test_backups_at_once_never_take_a_head_back",
    ),
    Edit(
        "a file of heads that is read once",
        "edgedp.stores.releases.opened:OpenedStore._check_heads",
        " and checked.stamp == stamp",
        "",
        "test_remembered.py::test_heads_beside_a_store_are_read_again_when_they_change",
    ),
    Edit(
        "a debit after what was only read, without the rows that no head names",
        "edgedp.stores.releases.opened:OpenedStore._check_heads",
        " and (checked.whole or not whole)",
        "",
        "test_remembered.py::test_an_edited_row_is_refused_by_reads_at_a_head_and_at_the_end_and_elsewhere_by_what_debits",
    ),
    Edit(
        "a row of a head whose hash is another",
        "edgedp.ledger.log.heads:_stands",
        ' and rows[0]["hash"] == head.hash',
        "",
        "test_remembered.py::test_every_read_refuses_what_went_back_or_is_of_another_history",
    ),
    Edit(
        "two heads of one entry that differ",
        "edgedp.ledger.log.heads:furthest",
        "if seen.setdefault((name, head.seq), head.hash) != head.hash:",
        "if False:",
        "test_remembered.py::test_the_furthest_head_rules_and_two_of_one_entry_refuse",
    ),
    Edit(
        "an identifier looked for in one account only",
        "edgedp.ledger.debits.debiting:debit_script",
        "for account in ACCOUNTS:",
        'for account in ("edges",):',
        "test_flips.py::test_one_identifier_asked_of_both_accounts_at_one_moment_is_one_release",
    ),
    Edit(
        "a release that does not protect what the account does",
        "edgedp.release.plan.base:check",
        "check_protects(planned)",
        "pass",
        "test_protect.py::test_only_what_is_proved_for_the_unit_is_planned",
    ),
    Edit(
        "a vector by default where all arcs of one node are protected",
        "edgedp.release.plan.arcs:_picking",
        '"joint" if facts.protect == "pair" else "pf"',
        '"joint"',
        "test_protect.py::test_the_default_mechanism_is_one_that_protects_the_unit",
    ),
    Edit(
        "the noise of one arc for all that one node does, through cuts",
        "edgedp.mechanisms.units:moves_through_cuts",
        "return cap",
        "return 1",
        "test_cut_arcs.py::test_noise_covers_what_each_unit_moves",
    ),
    Edit(
        "cuts of a node that are taken from all of its neighbours",
        "edgedp.mechanisms.projection:_arcs_to",
        "there = (_ways(graph) & way) != 0",
        "there = _ways(graph) != 0",
        "test_cut_arcs.py::test_votes_follow_their_definition",
    ),
    Edit(
        "a unit that is not frozen by the first debit",
        "edgedp.ledger.events:Declaration.unit",
        "if before is not None and before.spent > 0:",
        "if False:",
        "test_protect.py::test_the_first_debit_freezes_it_whatever_happens_to_the_graph",
    ),
    Edit(
        "a unit that a drop forgets",
        "edgedp.ledger.placing:drop_script",
        'protect: Unit = "pair" if before is None else before.protect',
        'protect: Unit = "pair"',
        "test_protect.py::test_the_first_debit_freezes_it_whatever_happens_to_the_graph",
    ),
    Edit(
        "a unit that is not compared at the debit",
        "edgedp.ledger.debits.debiting:_terms",
        "row.terms(plan.facts.protect, plan.facts.calendar)",
        'row.terms("pair", plan.facts.calendar)',
        "test_protect.py::test_the_default_mechanism_is_one_that_protects_the_unit",
    ),
    Edit(
        "a unit that cannot be read, taken for a pair",
        "edgedp.ledger.account:unit_of",
        "return next((unit for unit in UNITS if unit == found), None)",
        'return next((unit for unit in UNITS if unit == found), "pair")',
        "test_protect.py::test_an_edited_unit_is_no_pair",
    ),
    Edit(
        "parallels of a node counted for each of its pairs",
        "edgedp.stores.statements.projecting:_frequent",
        "keys, counts = np.unique(first * nodes + second, return_counts=True)",
        "keys = np.unique(first * nodes + second)\n    counts = np.bincount(first)[keys // max(nodes, 1)]",
        "test_pairs.py::test_a_pair_moves_its_own_edge_and_no_other",
    ),
    Edit(
        "a pair that is mutual by another pair's relationship",
        "edgedp.stores.statements.projecting:arcs_of",
        "there = _frequent(first, second, nodes, 1)",
        "there = _frequent(*_pairs(first, second), nodes, 1)",
        "test_pairs.py::test_the_reader_is_the_definition_on_random_databases",
    ),
    Edit(
        "candidates that keep the edges between two of them",
        "edgedp.mechanisms.projection:CandidateProjection._added",
        "outside[self._candidates] = False",
        "pass",
        "test_pairs.py::test_a_pair_moves_the_counts_of_candidates_by_one_in_all",
    ),
    Edit(
        "the noise of candidates where all nodes are counted",
        "edgedp.mechanisms.adaptive.arcs:arc_moves",
        "if plan.facts.candidates is not None:",
        "if True:",
        "test_arcs.py::test_joint_noise_is_that_of_one_pair",
    ),
    Edit(
        "a list of candidates by what counts more than their neighbours",
        "edgedp.release.plan.base:check",
        "check_candidates(planned)",
        "pass",
        "test_pairs.py::test_what_counts_no_neighbors_is_refused_with_candidates",
    ),
    Edit(
        "types that share one with another graph's",
        "edgedp.ledger.sources:common",
        'if kind == kept or kind in kept.split("|")',
        "if kind == kept",
        "test_pairs.py::test_types_that_share_one_have_its_account",
    ),
    Edit(
        "an account that is not compared with the registry",
        "edgedp.ledger.debits.debiting:_unchanged",
        'Step("account_terms", {"name": row.name, "terms": _terms(row, plan)}, on_none="broken")',
        'Step("account_lock", {"name": row.name}, on_none="unknown")',
        "test_ledger_compared.py::test_an_edited_row_of_the_registry_releases_nothing",
    ),
    Edit(
        "a further account whose share is not debited",
        "edgedp.ledger.debits.debiting:_debit",
        '*shares.debit_steps(name, row["analyst"], whole, charge.account),',
        "",
        "test_shares.py::test_a_percentile_debits_a_share_of_each_account_that_it_debits[embedded]",
    ),
    Edit(
        "another question answered by an identifier's answer",
        "edgedp.ledger.ledger:_judge_request",
        ' or asked["parameters"] != plan.parameters',
        "",
        "test_ledger.py::test_a_request_is_answered_once_and_never_drawn_again",
    ),
    Edit(
        "a running total that is not added up",
        "edgedp.ledger.chain:_walked",
        'elif row["total"] != total:',
        "elif False:",
        "test_ledger_compared.py::test_more_spent_than_the_log_says_is_never_forgotten",
    ),
    Edit(
        "a row without terms behind one that has them",
        "edgedp.ledger.chain:_walked",
        'elif stated and row.get("terms") is None:',
        "elif False:",
        "test_ledger_compared.py::test_an_old_row_never_follows_a_new_one",
    ),
    Edit(
        "a debit of an analyst who was revoked since",
        "edgedp.ledger.shares:debit_steps",
        'Step("person_active", {"name": analyst, "role": ANALYST}, on_none="revoked"),',
        "",
        "test_shares.py::test_a_revocation_after_the_plan_still_refuses_before_the_debit",
    ),
    Edit(
        "a check that finds no share that says too little",
        "edgedp.ledger.log.consistency:of_shares",
        "if amounts.spent != cost:",
        "if amounts.spent > cost:",
        "test_shares.py::test_check_compares_a_share_with_its_releases_both_ways[0]",
    ),
    Edit(
        "a share that no grant of the log says",
        "edgedp.ledger.log.consistency:of_shares",
        "if stands.get(key) != last.get(key)",
        "if False",
        "test_ledger_compared.py::test_a_share_that_was_edited_is_refused_at_its_debit_and_found",
    ),
    Edit(
        "an answer that leaves a step early",
        "edgedp.faces.gateway.work:steps_after",
        "math.ceil(",
        "math.floor(",
        "test_gateway_inside.py::test_an_answer_whose_step_is_over_waits_for_the_next_one",
    ),
    Edit(
        "what was recorded is seen before its step",
        "edgedp.faces.gateway.flights:Flight.end",
        "self._started + steps * self._step",
        "0.0",
        "test_gateway_inside.py::test_what_was_recorded_is_hidden_until_its_step_whatever_becomes_of_its_lease",
    ),
    Edit(
        "a curator who was revoked meanwhile and changes something",
        "edgedp.faces.gateway.context:Gateway.act",
        "_check_same(request, person)",
        "pass",
        "test_gateway_inside.py::test_a_curator_who_was_revoked_meanwhile_changes_nothing",
    ),
    Edit(
        "several gateways that each have the whole limit",
        "edgedp.faces.gateway.context:Gateway.__post_init__",
        " / chosen.gateways",
        "",
        "test_gateway_inside.py::test_several_gateways_on_a_store_divide_the_limit_of_requests",
    ),
    Edit(
        "other words that may be small",
        "edgedp.mechanisms.sampling.late:LateWords.others",
        "while small.size:",
        "while False:",
        "test_sampling_late.py::test_words_are_uniform_where_they_may_be",
    ),
    Edit(
        "a gap that is decided by its first digit",
        "edgedp.mechanisms.sampling.late:_gaps",
        "gaps[case] -= not _reaches(int(gaps[case]), draw)",
        "gaps[case] -= 0",
        "test_sampling_late.py::test_a_gap_is_decided_by_its_exact_threshold[1]",
    ),
    Edit(
        "an order by words of which two are equal",
        "edgedp.mechanisms.sampling.words:random_order",
        "if not np.any(keys[order][1:] == keys[order][:-1]):",
        "if True:",
        "test_sampling_words.py::test_random_order_draws_again_when_two_words_are_equal",
    ),
    Edit(
        "both halves refined by the same words",
        "edgedp.mechanisms.sampling.geometric:Refinable.refined",
        "np.minimum(self.minus, fresh.minus)",
        "np.minimum(self.minus, fresh.plus)",
        "test_until_sure.py::test_both_looks_have_the_law_whose_loss_is_paid_and_every_entry_its_own_noise",
    ),
    Edit(
        "fresh noise in the place of the smaller half",
        "edgedp.mechanisms.sampling.geometric:Refinable.refined",
        "np.minimum(self.plus, fresh.plus)",
        "fresh.plus",
        "test_until_sure.py::test_a_half_is_the_smaller_of_two_and_the_scales_add_up_like_resistances",
    ),
    Edit(
        "every lower half of a large scale accepted",
        "edgedp.mechanisms.sampling.geometric:_truncated",
        "np.flatnonzero(~_survive(values, scale, words))",
        "np.flatnonzero(values < 0)",
        "test_sampling_geometric.py::test_the_joined_parts_have_the_law_of_the_whole",
    ),
    Edit(
        "an error of the package let out in its own words",
        "edgedp.words.refusals:constant_refusals.__wrapped__",
        "if str(error) in AFTER_THE_DEBIT:",
        "if True:",
        "test_draw.py::test_whatever_nobody_foresaw_is_said_in_the_constant_sentence",
    ),
    Edit(
        "an option that a plan drops in silence",
        "edgedp.release.plan.base:check_all_kept",
        "if option.name not in kept and",
        "if False and",
        "test_options_kept.py::test_a_new_option_that_a_plan_forgets_is_refused",
    ),
    Edit(
        "a stored graph by a fingerprint without a key",
        "edgedp.mechanisms.projection:GraphProjection.fingerprint",
        "if self._secret is None else",
        "if True else",
        "test_pareto_cache.py::test_a_stored_graph_goes_by_the_secret_of_its_store",
    ),
    Edit(
        "a step that the plugin refused, taken for paid",
        "edgedp.faces.worker.releasing:draw",
        "is True",
        "is not None",
        "test_worker.py::test_a_worker_draws_no_step_that_the_plugin_did_not_debit[1]",
    ),
    Edit(
        "a worker that forgets what was debited before a step",
        "edgedp.faces.worker.releasing:draw",
        "spent += cost if paid else 0",
        "spent += 0",
        "test_worker.py::test_a_worker_draws_no_step_that_the_plugin_did_not_debit[1]",
    ),
    Edit(
        "a worker that does not look at the survey of the nodes",
        "edgedp.faces.worker.releasing:plan",
        'places.check_nodes(row, header["survey"])',
        "pass",
        "test_worker.py::test_a_plan_refuses_in_one_sentence",
    ),
    Edit(
        "what was seen of the first account alone, of a release that debits two",
        "edgedp.stores.releases.releasing:ReleasingStore._run_debit",
        "names=script.ledgers)",
        "names=script.ledgers[:1])",
        "test_remembered.py::test_each_account_that_a_release_debits_is_compared[attributes]",
    ),
    Edit(
        "a drop that forgets what the account protects",
        "edgedp.ledger.placing:drop_script",
        "kept_without_edges(protect, calendar)",
        '""',
        "test_protect.py::test_the_first_debit_freezes_it_whatever_happens_to_the_graph[source-pair]",
    ),
    Edit(
        "a load that writes what it has read of the unit, whatever was declared since",
        "edgedp.ledger.placing:_unit_steps",
        'Step("account_unit", named | unit_asked(held), on_none="budget"),',
        "",
        "test_protect.py::test_a_unit_that_was_declared_between_reading_and_loading_stays",
    ),
    Edit(
        "a backup of a ledger whose index lost its rows",
        "edgedp.stores.embedded.backup:_heads",
        "if wrong:",
        "if False:",
        "test_remembered.py::test_a_ledger_whose_index_lost_its_rows_is_no_backup[log_debits]",
    ),
    Edit(
        "a row of a load that changes a limit",
        "edgedp.ledger.log.consistency:_state",
        'row["kind"] not in _DECLARING[key]',
        'row["kind"] not in set().union(*_DECLARING.values())',
        "test_ledger_compared.py::test_an_account_and_its_last_row_that_are_edited_alike_are_found_by_the_check[limit]",
    ),
    Edit(
        "steps that are counted as releases",
        "edgedp.ledger.debits.debiting:_further",
        "FURTHER + ledger",
        "ledger",
        "test_until_sure.py::test_each_step_is_a_debit_of_its_own_and_the_answer_comes_last",
    ),
    Edit(
        "a type that a statement reads as another",
        "edgedp.stores.neo4j.places:check_unreserved",
        "if escape is not None:",
        "if False:",
        "test_registry.py::test_no_label_and_no_type_holds_an_escape",
    ),
    Edit(
        "a window that is charged to the runs that begin with it alone",
        "edgedp.ledger.calendars.runs:charged",
        "max(first - within + 1, 0), amount",
        "first, amount",
        "test_windows.py::test_at_an_eleventh_the_twelfth_month_is_refused",
    ),
    Edit(
        "everything charged to nothing that has a date",
        "edgedp.ledger.calendars.runs:charged",
        "everything + amount, changes",
        "everything, changes",
        "test_windows.py::test_everything_overlaps_every_window",
    ),
    Edit(
        "a run that is compared by its first window",
        "edgedp.ledger.calendars.runs:touched",
        "if start <= last and (end is None or end >= low)",
        "if start <= low and (end is None or end >= low)",
        "test_calendars.py::test_sums_of_runs_are_those_of_the_debits",
    ),
    Edit(
        "a calendar that the first debit does not freeze",
        "edgedp.ledger.events:Declaration.dated",
        "if before is not None and before.spent > 0:",
        "if False:",
        "test_windows.py::test_the_first_debit_freezes_the_calendar[dates2-11]",
    ),
    Edit(
        "windows that are open until now",
        "edgedp.words.dates.calendar:Calendar.check_closed",
        "now >= self.closes(span.last)",
        "now >= self.begins(span.last)",
        "test_windows.py::test_an_open_window_is_refused_before_the_debit_and_everything_is_not",
    ),
    Edit(
        "a row whose hash leaves out what the runs were",
        "edgedp.ledger.chain:link",
        '() if row.get("runs") is None else WINDOWS',
        "()",
        "test_windows.py::test_every_row_says_what_the_runs_were_and_its_hash_covers_it",
    ),
    Edit(
        "a release of a window that reads everything",
        "edgedp.stores.releases.opened:OpenedStore._projected",
        "planned.facts.span",
        "None",
        "test_windows.py::test_every_kind_of_release_reads_its_window",
    ),
    Edit(
        "dates that moved, unseen",
        "edgedp.stores.calendars:check_final",
        "if moved:",
        "if False:",
        "test_windows.py::test_a_file_whose_dates_moved_is_refused_once_something_was_spent",
    ),
    Edit(
        "an account of many types whose calendars are not compared",
        "edgedp.ledger.sources:Sources.calendar",
        "if any(each != found for each in held.values()):",
        "if False:",
        "test_neo4j_windows.py::test_types_of_one_graph_have_one_calendar",
    ),
    Edit(
        "properties shown of a graph without a share",
        "edgedp.stores.people.seeing:SeeingStore.domains",
        "self._looking(name)",
        "self._looking()",
        "test_shares.py::test_a_share_that_is_taken_away_hides_the_graph_and_resets_nothing[embedded]",
    ),
    Edit(
        "a part of a release shown as one",
        "edgedp.stores.people.seeing:SeeingStore.release",
        ' or "part_of" in body_of(rows[0])',
        "",
        "test_shares.py::test_a_percentile_debits_a_share_of_each_account_that_it_debits[embedded]",
    ),
    Edit(
        "a backup of two versions",
        "edgedp.stores.embedded.backup:_fill",
        'if _versions(copied) != {row["version"] for row in rows}:',
        "if False:",
        "test_embedded.py::test_a_backup_of_what_is_replaced_meanwhile_is_of_one_version",
    ),
    Edit(
        "a copy that is not read again",
        "edgedp.stores.embedded.backup:_copy_file",
        "if sha256(copied) != digest:",
        "if False:",
        "test_embedded.py::test_a_copy_on_a_disk_that_writes_something_else_is_no_backup",
    ),
    Edit(
        "a batch that adds up no run of windows",
        "edgedp.stores.releases.batch:AsIf._raised",
        "kept = runs.charged(kept or runs.NOTHING, reach.within, reach.first, reach.last, charge)",
        "pass",
        "test_windows.py::test_a_batch_adds_up_what_its_releases_spend_of_each_run",
    ),
    Edit(
        "kept windows of another first day",
        "edgedp.stores.addresses.kept_rows:_of_calendar",
        "{calendar.start} {calendar.period}",
        "{calendar.period}",
        "test_address_windows.py::test_kept_windows_are_those_of_their_first_day",
    ),
    Edit(
        "an estimate of a ledger that does not add up",
        "edgedp.stores.releases.estimating:estimate_of",
        "if not adds_up:",
        "if False:",
        "test_ledger_compared.py::test_more_spent_than_the_log_says_is_never_forgotten",
    ),
    Edit(
        "an engine that is taken for tried where another one was",
        "edgedp.stores.releases.trial:try_engine",
        "key = (engine, repr(small)",
        "key = (None, repr(small)",
        "test_embedded.py::test_an_engine_is_tried_whatever_another_one_drew",
    ),
    Edit(
        "a release that is shown again, counted again",
        "edgedp.faces.gateway.door.observing:Metrics.request",
        " and note.kept is False",
        "",
        "test_gateway_inside.py::test_a_release_that_is_shown_again_is_counted_once",
    ),
    Edit(
        "the first of two keys taken",
        "edgedp.faces.gateway.api.routes:_request_id",
        "(value,) = given",
        "value = given[0]",
        "test_gateway_inside.py::test_two_keys_are_none",
    ),
    Edit(
        "a graph of rows that were replaced meanwhile",
        "edgedp.ledger.placing:rows_script",
        'Step("graph_current", named | {"version": row.of.version}, on_none="changed"),',
        "",
        "test_filters.py::test_conditions_register_nothing_where_what_allows_them_changes_meanwhile",
    ),
    Edit(
        "sums of parallels that go round",
        "edgedp.graph.weights:Weighting._sums",
        "np.clip(high, -(1 << _SPLIT), 1 << _SPLIT)",
        "high",
        "test_weights.py::test_no_number_of_parallels_goes_round_the_integers",
    ),
    Edit(
        "a cap rounded up to a step",
        "edgedp.graph.weights:Weighting.steps",
        "most, least = int(self.cap / self.step)",
        "most, least = int(-(-self.cap // self.step))",
        "test_weights.py::test_a_cap_between_two_steps_holds_the_lower_one_alone",
    ),
    Edit(
        "the first byte of a line that a block has cut",
        "edgedp.graph.reading.text.lines:Blocks._cut",
        "parts = [block[end:]]",
        "parts = [block[end + 1 :]]",
        "test_reading.py::test_lines_stay_whole_wherever_pieces_of_a_text_end",
    ),
    Edit(
        "an agent whose token was rotated meanwhile",
        "edgedp.faces.gateway.desks:AtGateway.read",
        "self._gateway.again(self._request, self._person, lambda: question(asking))",
        "self._gateway.ask(lambda: question(asking))",
        "test_gateway_inside.py::test_what_an_agent_reads_is_asked_for_again_and_an_error_has_no_words",
    ),
]
