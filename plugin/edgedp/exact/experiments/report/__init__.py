"""A report of experiments: one page that works offline and from a file, or a picture.

`tables` and `reading` turn curves into rows and sentences, `charts` into Vega-Lite, `page` into HTML. The library of
the charts is embedded in the page; nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from edgedp.exact.experiments.keeping import read_results, replacing
from edgedp.words.errors import EngineError, ParameterError
from edgedp.words.places import expanded

__all__ = ["write_report"]


def write_report(results: Iterable[str | Path], out: str | Path) -> Path:
    """Write a report of result files.

    Parameters
    ----------
    results : iterable of path
        Parquet files of `edgedp.experiment`; rows that stand in several are counted once.
    out : path
        Ending in .html, .png or .svg.

    Returns
    -------
    Path

    Raises
    ------
    EdgeDPError
        A file is not one of results, the ending is another one, or the extra ``report`` is not installed.

    Notes
    -----
    Privacy: not private, as the results are not. A report with results of a stored graph is a file of mode 0600.

    Examples
    --------
    >>> import tempfile
    >>> from edgedp import Graph, experiment
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 30)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     asked = {"metric": "degree", "k": 1, "epsilon": [1, 40], "runs": 5, "file": f"{folder}/star.parquet"}
    ...     rows = experiment(star, name="star", mechanism=["em", "joint"], **asked)
    ...     "star" in write_report([f"{folder}/star.parquet"], f"{folder}/star.html").read_text(encoding="utf-8")
    True
    """
    file = expanded(out, "out")
    if file.suffix.lower() not in (".html", ".png", ".svg"):
        raise ParameterError(
            f"the report is {file.name!r}, must end in .html, .png or .svg; give another name"
        )
    if find_spec("vl_convert") is None:
        raise EngineError("the library of the charts is missing; install edgedp[report]")
    rows = read_results(results).unique(maintain_order=True)
    match file.suffix.lower():
        case ".html":
            from edgedp.exact.experiments.report.page import page

            made = page(rows).encode()
        case ".svg":
            import vl_convert

            from edgedp.exact.experiments.report.charts import picture

            made = vl_convert.vegalite_to_svg(picture(rows)).encode()
        case _:
            import vl_convert

            from edgedp.exact.experiments.report.charts import picture

            made = vl_convert.vegalite_to_png(picture(rows), scale=2)
    with replacing(file, private=rows["graph_version"].is_not_null().any()) as stream:
        stream.write(made)
    return file
