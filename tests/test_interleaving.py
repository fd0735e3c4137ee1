"""The machine that interleaves, over the embedded store by several paths."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from hypothesis import Phase, settings

from edgedp import Store, open_store
from edgedp.stores.killpoints import Point
from embedded_children import child
from interleaving import Interleaving, Place


class EmbeddedPlace(Place):
    """A folder, a link to it, and a path relative to where one stands."""

    paths = 3
    load_points = ("begun", "written", "placing", "placed", "checked")

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="edgedp-interleaving-"))
        place = self._folder / "graphs.edgedp"
        link = self._folder / "link.edgedp"
        link.symlink_to(place.name)
        relative = Path(os.path.relpath(place))
        self._paths = [place, link, relative]

    def store(self, path: int) -> Store:
        return open_store(self._paths[path], graph_memory=1 << 20 if path else 0)

    def child(self, path: int, *arguments: object, kill_at: Point | None) -> subprocess.Popen[str]:
        program, *rest = arguments
        return child(program, self._paths[path], *rest, kill_at=kill_at)

    def close(self) -> None:
        shutil.rmtree(self._folder)


class EmbeddedInterleaving(Interleaving):
    @classmethod
    def new_place(cls) -> Place:
        return EmbeddedPlace()


TestEmbeddedInterleaving = EmbeddedInterleaving.TestCase
TestEmbeddedInterleaving.settings = settings(
    max_examples=4, stateful_step_count=12, phases=(Phase.explicit, Phase.reuse, Phase.generate)
)
