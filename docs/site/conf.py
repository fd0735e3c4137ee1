"""How Sphinx makes the site. `build.py` beside this file gathers what it reads; both are run by ``make docs``."""

from __future__ import annotations

from pathlib import Path

from edgedp import __version__

project = "edgedp"
author = "the edgedp maintainers"
copyright = "the edgedp maintainers; Apache-2.0"
release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"edgedp {__version__}"
html_copy_source = False
smartquotes = False
"""Two hyphens are an option, not a dash."""
html_show_sphinx = False
html_show_search_summary = False
"""Search fetches each page that it found for a summary, and a page opened from a file may fetch nothing."""
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_static_path = ["_static"]
html_js_files = ["snippets.js"]
"""In place of that, `build.py` writes the texts of all pages into a script, and this shows where words stand."""

myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_merge_streams = True

default_role = "py:obj"
autodoc_member_order = "groupwise"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
suppress_warnings = ["misc.highlighting_failure"]
"""A unit file or a server's configuration is near enough to TOML to be shown as that."""
