"""Build hook: put the Neo4j jar into the wheel where Maven has built one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class JarHook(BuildHookInterface):  # type: ignore[type-arg]
    """Includes ``plugin/neo4j/target/edgedp-neo4j-<version>.jar`` as ``edgedp/assets/jar``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the jar of this version; a wheel that is built without Maven has none."""
        name = f"edgedp-neo4j-{self.metadata.version}.jar"
        jar = Path(self.root, "plugin", "neo4j", "target", name)
        if version == "standard" and jar.is_file():
            build_data["force_include"][str(jar)] = f"edgedp/assets/jar/{name}"
