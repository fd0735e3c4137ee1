"""The report in a real browser: what is drawn is what the Parquet file holds, offline, without an error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver

import edgedp
from browser import Page, opened
from edgedp.exact.experiments.curves import curves
from edgedp.exact.experiments.generators import power_law
from edgedp.exact.experiments.keeping import read_results, write_results
from edgedp.exact.experiments.report import charts
from edgedp.exact.experiments.report.reading import reading
from edgedp.exact.experiments.report.tables import needed_table

EVIL = "</script><b>&'\"name"
READY = "return document.documentElement.dataset.ready === 'true'"
DRAWN = """[...document.querySelectorAll('.chart')].map(chart =>
  [...chart.querySelectorAll('.mark-symbol.role-mark path')].map(mark => mark.getAttribute('aria-label')))"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("results")
    graph = power_law(300, seed=3)
    asked: dict[str, Any] = {"epsilon": ["0.1", 1, 10, 1000], "runs": 6, "name": EVIL}
    edgedp.experiment(graph, k=[2, 5], mechanism=["em", "sld", "joint"], file=folder / "top.parquet", **asked)
    edgedp.experiment(
        graph,
        "motkin",
        k=3,
        mechanism=["em", "sld"],
        approach="pareto",
        file=folder / "several.parquet",
        **asked,
    )
    edgedp.experiment(graph, "numbers", of="edges", file=folder / "numbers.parquet", **asked)
    edgedp.experiment("power-law", "growth", nodes=[150, 300], runs=1, file=folder / "growth.parquet")
    return [folder / f"{name}.parquet" for name in ("top", "several", "numbers", "growth")]


@pytest.fixture(scope="module")
def report(results: list[Path]) -> Path:
    return edgedp.write_report(results, results[0].with_name("report.html"))


@pytest.fixture
def page(report: Path, chromium: WebDriver) -> Page:
    page = opened(chromium, report.as_uri())
    page.wait(READY)
    return page


def marks(page: Page) -> list[list[dict[str, str]]]:
    """Return what each chart's points say of themselves."""
    return [
        [dict(part.split(": ", 1) for part in label.split("; ")) for label in chart]
        for chart in page.run(f"return {DRAWN}")
    ]


def test_marks_are_the_means_of_the_parquet(page: Page, results: list[Path]) -> None:
    rows = read_results(results).filter(pl.col("experiment") == "topk")
    for chart, k in zip(marks(page), (2, 5), strict=False):
        assert len(chart) == 3 * 4
        for mark in chart:
            name = {"EM": "em", "SLD": "sld", "joint": "joint"}[mark["mechanism"]]
            of = (
                (pl.col("k") == k)
                & (pl.col("mechanism") == name)
                & (pl.col("epsilon") == float(mark["epsilon"]))
            )
            mean = float(rows.filter(of)["recall"].mean())  # type: ignore[arg-type]
            assert float(mark["mean recall"]) == pytest.approx(mean, abs=6e-4)
            assert mark["runs"] == "6"


def test_the_legend_hides_and_shows_by_mouse_and_by_keyboard(page: Page) -> None:
    key = page.driver.find_element(By.CSS_SELECTOR, "button.key[data-series=SLD]")
    key.click()
    page.wait(f"return ({DRAWN})[0].every(label => !label.includes('mechanism: SLD'))")
    assert key.get_attribute("aria-pressed") == "false"
    assert {mark["mechanism"] for mark in marks(page)[0]} == {"EM", "joint"}
    key.send_keys(Keys.SPACE)
    page.wait(f"return ({DRAWN})[0].some(label => label.includes('mechanism: SLD'))")
    assert key.get_attribute("aria-pressed") == "true"


def test_the_band_can_be_that_of_the_quartiles(page: Page) -> None:
    page.driver.find_element(By.CSS_SELECTOR, "input[value=quartiles]").click()
    page.wait("return edgedpViews[0].signal('spread') === 'quartiles'")
    for mark in marks(page)[0]:
        assert float(mark["recall"]) == pytest.approx(float(mark["median"]), abs=6e-4)


def test_nothing_is_fetched_and_nothing_fails(page: Page) -> None:
    page.settled()
    assert page.errors == []
    assert page.requests == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_it_fits_a_phone_and_follows_the_theme(page: Page, width: int, scheme: str) -> None:
    driver: Any = page.driver
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    try:
        assert page.run("return document.documentElement.scrollWidth") <= width
        paper = page.run("return getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", paper)[:3])) > 380) == (scheme == "light")
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_on_paper_there_is_nothing_to_press(page: Page) -> None:
    driver: Any = page.driver
    size = {"width": 794, "height": 1123, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        for control in ("fieldset.spread", "button.all", "details"):
            shown = f"return getComputedStyle(document.querySelector('{control}')).display"
            assert page.run(shown) == "none", control
        assert page.run("return document.documentElement.scrollWidth") <= 794
        assert page.run("return getComputedStyle(document.querySelector('button.key')).display") != "none"
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_the_report_of_enron_shows_joint_above_sld_at_a_tenth_in_every_panel(
    chromium: WebDriver, tmp_path: Path
) -> None:
    """From a file, without a network: the first thing that the page is there to show."""
    file = tmp_path / "enron.parquet"
    edgedp.experiment("email-Enron", mechanism=["sld", "joint"], epsilon="0.1", runs=3, file=file)
    page = opened(chromium, edgedp.write_report([file], tmp_path / "enron.html").as_uri())
    page.wait(READY)
    titles = page.run("return [...document.querySelectorAll('.panel figcaption b')].map(b => b.textContent)")
    assert titles == ["k = 5", "k = 10", "k = 20"]
    for panel in marks(page):
        shown = {mark["mechanism"]: float(mark["mean recall"]) for mark in panel}
        assert shown["joint"] > shown["SLD"] + 0.2
    page.settled()
    assert (page.errors, page.requests) == ([], [])


def test_a_name_is_text_and_never_markup(report: Path, page: Page) -> None:
    assert EVIL not in report.read_text(encoding="utf-8")
    assert EVIL in page.run("return document.querySelector('h1').textContent")
    assert page.run("return document.querySelectorAll('b').length") == page.run(
        "return document.querySelectorAll('figcaption b, .plain b').length"
    )


def test_pictures_are_pictures(results: list[Path], tmp_path: Path) -> None:
    top = [path for path in results if path.stem == "top"]
    assert edgedp.write_report(top, tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
    assert edgedp.write_report(top, tmp_path / "r.svg").read_text(encoding="utf-8").startswith("<svg")
    with pytest.raises(edgedp.EdgeDPError, match="must end in"):
        edgedp.write_report(top, tmp_path / "r.pdf")


def test_every_panel_of_a_picture_shows_its_own_points_and_the_legend_all_series(
    results: list[Path], tmp_path: Path
) -> None:
    top = [path for path in results if path.stem == "top"]
    drawn = edgedp.write_report(top, tmp_path / "r.svg").read_text(encoding="utf-8")
    seen = re.findall(r"mechanism: (\w+); mean recall: ([\d.]+);", drawn)
    points = curves(read_results(top))
    meant = [(row["series"], round(row["mean"], 3)) for row in points.iter_rows(named=True)]
    assert points["k"].n_unique() == 2
    assert sorted((name, float(mean)) for name, mean in seen) == sorted(meant)
    legend = re.findall(r"<text[^>]*>([^<]*)</text>", drawn)
    assert [name for name in legend if name in ("EM", "SLD", "joint")] == ["EM", "SLD", "joint"]


def test_without_its_library_a_report_says_what_to_install(
    results: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edgedp.exact.experiments.report.find_spec", lambda name: None)
    with pytest.raises(edgedp.EdgeDPError, match=r"install edgedp\[report\]"):
        edgedp.write_report(results, tmp_path / "r.html")


def test_nothing_is_interpolated_between_two_epsilons_that_were_tried(results: list[Path]) -> None:
    """Two decades lie between the points: a line over them would say 0.3 for joint, 8 for EM and a factor between."""
    rows = read_results([path for path in results if path.stem == "top"])
    low = pl.when(pl.col("mechanism") == "joint").then(0.7).otherwise(0.1)
    made = pl.concat(
        [
            rows.with_columns(pl.lit(epsilon).alias("epsilon"), recall.alias("recall"))
            for epsilon, recall in ((0.1, low), (10.0, pl.lit(0.99)))
        ]
    )
    told = " ".join(sentence for _, sentences in reading(made) for sentence in sentences)
    for name in ("joint", "SLD", "EM"):
        assert f"{name} 0.1 to 10" in told
    assert "EM needs 0.01 to 100 times joint's epsilon" in told
    assert "neither met nor missed" in told
    cells = {cell for row in needed_table(curves(made, "recall"), "").rows for cell in row[2:5]}
    assert cells == {"at most 0.1", "0.1 to 10"}


def test_a_sentence_is_carried_by_its_figures(results: list[Path], tmp_path: Path) -> None:
    """Where joint is not ahead the reading does not say so; turned round, it says the opposite."""
    rows = read_results([path for path in results if path.stem == "top"])

    def at(joint: float, sld: float) -> str:
        value = (
            pl.when(pl.col("mechanism") == "joint").then(joint).when(pl.col("mechanism") == "sld").then(sld)
        )
        made = rows.with_columns(value.otherwise(0.0).alias("recall"))
        write_results(made, tmp_path / "made.parquet")
        return " ".join(sentence for _, sentences in reading(made) for sentence in sentences)

    assert "k = 2: 0.95 and 0.10;" in at(0.95, 0.1)
    assert "recall is 0.9, between two that were tried: joint at most 0.1" in at(0.95, 0.1)
    assert "0.10 and 0.95, not distinguishable or behind" in at(0.1, 0.95)
    assert "joint (0.10)" in at(0.1, 0.95)


def test_the_limit_of_private_lists_is_a_dashed_line_and_a_column(results: list[Path], report: Path) -> None:
    rows = read_results(results[:1])
    for row in rows.filter(pl.col("run") == 0).iter_rows(named=True):
        graph = power_law(300, seed=3)
        assert row["limit"] == pytest.approx(
            edgedp.quality.limit(graph, row["metric"], row["k"], row["epsilon"])
        )
    assert read_results(results[1:3])["limit"].is_null().all(), (
        "of several metrics and of numbers there is none"
    )
    specs = [charts.spec(panel, []) for panel in charts.panels(rows, "recall")]
    for chart, k in zip(specs, (2, 5), strict=True):
        (line,) = [layer for layer in chart["layer"] if "strokeDash" in layer["mark"]]
        kept = rows.filter(pl.col("k") == k).unique("epsilon").sort("epsilon")
        assert line["data"]["values"] == kept.select("epsilon", "limit").to_dicts()
    text = report.read_text(encoding="utf-8")
    assert "<b>Dashed line</b>" in text
    assert ">limit<" in text


def test_results_of_before_there_was_a_limit_are_read(results: list[Path], tmp_path: Path) -> None:
    rows = read_results(results[:1])
    write_results(rows.drop("limit"), tmp_path / "older.parquet")
    older = read_results([tmp_path / "older.parquet"])
    assert older.columns == rows.columns
    assert older["limit"].is_null().all()
    assert not next(iter(charts.panels(older, "recall"))).limits
