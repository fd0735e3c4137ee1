"""Metadata hook: a README whose links work on a package index, where nothing stands beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


def with_whole_links(text: str, repository: str, version: str) -> str:
    """Return a text in Markdown whose relative links lead into the repository, at the tag of a version that has one."""
    tree = "main" if ".dev" in version else f"v{version}"
    return re.sub(r"\]\((?!https?://|#|mailto:)([^)\s]+)\)", rf"]({repository}/blob/{tree}/\g<1>)", text)


class ReadmeHook(MetadataHookInterface):
    """Sets ``readme``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Read README.md and make its links whole."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_whole_links(text, metadata["urls"]["Repository"], metadata["version"]),
        }
