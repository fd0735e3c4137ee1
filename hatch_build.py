"""Build hooks: compile the kernels; put the Neo4j jar into the wheel where Maven has built one."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NATIVE = Path("plugin", "edgedp", "graph", "engines", "native")


class EdgedpHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds what the package holds beside Python: the shared library of the kernels, and the jar."""

    def dependencies(self) -> list[str]:
        """Ask for a compiler only where the system has none: that of ziglang is a download of 100 MB."""
        if self.target_name != "wheel":
            return []
        return ["ziglang>=0.13"] if self._build().chosen_compiler() == "zig" else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, into the wheel or, for an editable installation, into the source tree; add the jar."""
        if self.target_name != "wheel":
            return
        self._add_kernels(version, build_data)
        name = f"edgedp-neo4j-{self.metadata.version}.jar"
        jar = Path(self.root, "plugin", "neo4j", "target", name)
        if version == "standard" and jar.is_file():
            build_data["force_include"][str(jar)] = f"edgedp/assets/jar/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder that the library was compiled in."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()

    def _add_kernels(self, version: str, build_data: dict[str, Any]) -> None:
        build = self._build()
        compiler, target = build.chosen_compiler(), build.chosen_target()
        if compiler == "zig" and importlib.util.find_spec("ziglang") is None:
            self.app.display_warning(
                "no C compiler and no ziglang: edgedp is built without its kernels, and igraph computes in their place"
            )
            compiler = "none"
        if target != build.Target.here() and (compiler == "none" or version == "editable"):
            raise RuntimeError(
                "EDGEDP_TARGET is for a wheel, and needs ziglang; install that, or unset EDGEDP_TARGET"
            )
        if version == "editable":
            library = Path(self.root, NATIVE, build.LIBRARY)
            if compiler == "none":
                library.unlink(missing_ok=True)
            else:
                build.compile_library(library, compiler)
        elif compiler != "none":
            self._folder = tempfile.TemporaryDirectory(prefix="edgedp-wheel-")
            library = Path(self._folder.name, Path(target.library).name)
            build.compile_library(library, compiler, target=target)
            build_data["force_include"][str(library)] = f"edgedp/graph/engines/native/{target.library}"
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{build.platform_tag(compiler, target)}"

    def _build(self) -> Any:
        """Load the module that compiles; the package itself cannot be imported here."""
        spec = importlib.util.spec_from_file_location("edgedp_build", Path(self.root, NATIVE, "build.py"))
        if spec is None or spec.loader is None:
            raise FileNotFoundError(Path(NATIVE, "build.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # where its dataclasses look for what their annotations name
        spec.loader.exec_module(module)
        return module
