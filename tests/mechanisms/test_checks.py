"""Every check: what it lets through is canonical, what it refuses it refuses in one line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgedp
from edgedp.ledger import events
from edgedp.mechanisms import checks
from edgedp.mechanisms.samplers import sampler as sampler_by_name
from edgedp.words.amounts.rho import ATTO, delta_atto
from edgedp.words.errors import EdgeDPError, ParameterError, UnknownNameError
from edgedp.words.vocabulary import PICKING, SAMPLERS
from looped import as_one

anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.binary(max_size=4),
    st.lists(st.integers(), max_size=3), st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)  # fmt: skip
ONE_VALUE = {
    "choice": lambda value: checks.check_choice(value, "word", ("a", "b")),
    "metric": checks.check_metric,
    "form": lambda value: checks.check_form(value, "ebc"),
    "mechanism": checks.check_mechanism,
    "sampler": lambda value: checks.check_sampler(value, "ld"),
    "whole": lambda value: checks.check_whole(value, "k"),
    "k": lambda value: checks.check_k(value, 9),
    "degree_bound": checks.check_degree_bound,
    "distance": checks.check_distance,
    "text": lambda value: checks.check_text(value, "request_id"),
    "graph_name": checks.check_graph_name,
    "weights": lambda value: checks.check_weights(value, 2),
}


@pytest.mark.parametrize("name", ONE_VALUE)
@given(value=anything)
def test_whatever_is_given_is_taken_or_refused_in_one_line(name: str, value: Any) -> None:
    said, taken = "a line", None
    try:
        taken = ONE_VALUE[name](value)
    except EdgeDPError as refused:
        said = str(refused)
    assert said
    assert "\n" not in said
    assert taken is None or ONE_VALUE[name](taken) == taken, "what was taken is canonical"


def test_a_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(
        UnknownNameError, match=r"metric is 'densty', must be one of .*did you mean 'density'"
    ):
        checks.check_metric("densty")
    assert checks.nearest("zzz", ["b", "a"]) == "choose one of a, b"
    assert checks.nearest("zzz", []) == "there is none yet"
    with pytest.raises(UnknownNameError, match="no option 'x'; ask without it"):
        checks.check_option_names({"x": 1}, ())


@as_one
@pytest.mark.parametrize("mechanism", PICKING)
@pytest.mark.parametrize("sampler", [None, *SAMPLERS])
def test_a_mechanism_has_the_sampler_that_was_asked_for_or_refuses_it(mechanism: Any, sampler: Any) -> None:
    """``em``, ``ld`` and ``sld`` take any; a mechanism that is a sampler's other name takes that one alone."""
    of_its_own = {sampler_by_name(name).mechanism: name for name in SAMPLERS} | {"em": None}
    default = of_its_own.get(mechanism) or "exponential"
    if sampler in (None, default) or of_its_own.get(mechanism) is None:
        assert checks.check_sampler(sampler, mechanism) == (sampler or default)
        return
    with pytest.raises(EdgeDPError, match=r"sampler is .*, must be"):
        checks.check_sampler(sampler, mechanism)


def test_a_branch_that_nobody_wrote_is_an_error_and_never_another_mechanism() -> None:
    with pytest.raises(AssertionError):
        checks.check_sampler(None, "laplace")  # type: ignore[arg-type]


@as_one
@pytest.mark.parametrize("value", [3, np.int64(3), 3.0, np.uint8(3)])
def test_a_whole_number_may_come_as_any_kind_of_number(value: Any) -> None:
    taken = checks.check_whole(value, "k")
    assert taken == 3
    assert type(taken) is int


def test_an_option_that_would_have_no_effect_is_refused() -> None:
    checks.check_no_option("shift", None, "mechanism 'em'")
    with pytest.raises(ParameterError, match="shift is not an option of mechanism 'em'; ask without it"):
        checks.check_no_option("shift", "up", "mechanism 'em'")


def test_a_data_frame_of_spark_is_refused_with_where_to_ask_for_it() -> None:
    """Spark ranks the nodes of a data frame, and has no numbers of it; `Graph.from_frame` does not take it as it is."""
    frame = type("DataFrame", (), {"__module__": "pyspark.sql.classic.dataframe"})()
    for ask in (
        lambda: edgedp.count(frame, "edges", 1),
        lambda: edgedp.distribution(frame, epsilon=1),
        lambda: edgedp.summary(frame, 1),
        lambda: edgedp.priv_top_k(frame, "degree", 1, 1),
    ):
        with pytest.raises(ParameterError, match=r"a pyspark DataFrame, must .*spark\.priv_top_k .*toPandas"):
            ask()
    with pytest.raises(ParameterError, match=r"frame is a pyspark DataFrame, must be .*toPandas\(\)"):
        edgedp.Graph.from_frame(frame)


# -- amounts that are checked against a public fact ---------------------------------------------------


@as_one
@pytest.mark.parametrize("node_count", [2, 99, 36_692, 10**9])
def test_a_delta_is_below_one_over_the_number_of_nodes(node_count: int) -> None:
    """To one atto: from 1 / n on, showing one node's whole neighbourhood would keep the promise."""
    least = -(-ATTO // node_count)
    events.check_delta(None, node_count)
    events.check_delta(least - 1, node_count)
    for atto in (least, ATTO - 1):
        with pytest.raises(ParameterError, match=r"delta is .*, must be below 1 / n") as refused:
            events.check_delta(atto, node_count)
        advised = str(refused.value).rpartition("declare ")[2].removesuffix(" or less")
        events.check_delta(delta_atto(advised), node_count)
