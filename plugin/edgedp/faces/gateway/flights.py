"""Releases on their way: until the step at which one is answered, nobody sees whether it was drawn.

An answer is recorded before it is shown, and whoever asked for the record again and again would read off when the
draw ended. So a gateway remembers what it is drawing, and shows it as not drawn yet until the answer itself may leave.
"""

from __future__ import annotations

import math
import threading
import time

from edgedp.faces.gateway.work import steps_after


class Flights:
    """Which releases are hidden, and until when by `time.monotonic`."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._guard = threading.Lock()

    def hide(self, release_id: str, until: float) -> None:
        """Hide a release until a moment; those whose moment has come are forgotten."""
        now = time.monotonic()
        with self._guard:
            self._until = {name: moment for name, moment in self._until.items() if moment > now}
            self._until[release_id] = until

    def hides(self, release_id: str) -> bool:
        """Return whether nobody may see yet what became of a release."""
        with self._guard:
            return time.monotonic() < self._until.get(release_id, -math.inf)


class Flight:
    """One release on its way, from its debit to the step at which it is answered.

    Parameters
    ----------
    flights : Flights
    started : float
        When it was asked for, by `time.monotonic`: steps are counted from there.
    step : float
        Seconds.
    """

    def __init__(self, flights: Flights, started: float, step: float) -> None:
        self._flights, self._started, self._step = flights, started, step
        self._release_id: str | None = None
        self.landed: str | None = None
        """The release once it was recorded, or failed."""

    @property
    def begun(self) -> bool:
        """Whether it was debited, and so drawn from since."""
        return self._release_id is not None

    def debited(self, release_id: str) -> None:
        """Hide it from now on, whether or not anybody still waits for it."""
        self._release_id = release_id
        self._flights.hide(release_id, math.inf)

    def end(self) -> None:
        """Note that it was recorded, or failed: it is seen from the next step on."""
        if self._release_id is not None:
            steps = steps_after(self._started, time.monotonic(), self._step)
            self._flights.hide(self._release_id, self._started + steps * self._step)
            self.landed = self._release_id
