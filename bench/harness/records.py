"""What was measured of a row, in a JSON file of its own, so that a broken run goes on where it was."""

from __future__ import annotations

import json
import os
import time
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.harness import machine
from bench.harness.measure import Sample, interleaved, last_words, processor
from bench.harness.row import OURS, Clock, MissingRivalError, Row, prepared


@dataclass
class Record:
    """A measured row.

    Attributes
    ----------
    samples : dict of str to list of Sample
        By column.
    missing : dict of str to str
        Why a column is not there.
    took : float
        Seconds by the clock, preparation included.
    """

    name: str
    state: str
    rounds: int
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    load: float = 0.0
    took: float = 0.0
    machine: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def values(self, column: str, clock: Clock) -> list[float]:
        """Return the seconds of a column, in the order they were measured."""
        return [getattr(sample, clock) for sample in self.samples.get(column, ())]

    def memory(self, column: str) -> int | None:
        """Return the least memory that a column was seen to take beyond what there was."""
        known = [sample.memory for sample in self.samples.get(column, ()) if sample.memory is not None]
        return min(known, default=None)

    def write(self, folder: Path) -> None:
        """Keep it; a record is whole or not there."""
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / f"{self.name}.partial"
        partial.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        partial.replace(folder / f"{self.name}.json")


def read_records(folder: Path) -> dict[str, Record]:
    """Return the records of a folder by name."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    return {each["name"]: _record(each) for each in found}


def measured(rows: Sequence[Row], rounds: int | None, folder: Path) -> None:
    """Measure rows of one group in this process and keep their records, also of what could not be prepared."""
    began = time.perf_counter()
    try:
        with prepared(rows[0]) as shared:
            for row in rows:
                record = record_of(row, rounds)
                measure_into(record, row, shared)
                record.took, began = time.perf_counter() - began, time.perf_counter()
                record.write(folder)
    except Exception as error:
        traceback.print_exc()
        not_measured(rows, rounds, folder, last_words(error))


def not_measured(rows: Sequence[Row], rounds: int | None, folder: Path, why: str) -> None:
    """Record, for those of the rows that have no record, why there is none."""
    for row in rows:
        if not (folder / f"{row.name}.json").exists():
            record = record_of(row, rounds)
            record.missing[OURS] = why
            record.write(folder)


def record_of(row: Row, rounds: int | None) -> Record:
    """Return the record of a row of which nothing is measured yet."""
    return Record(row.name, machine.state(), rounds or row.rounds, load=os.getloadavg()[0])


def measure_into(record: Record, row: Row, shared: Any) -> None:
    """Measure the columns of a row."""
    works = {}
    for name, build in row.columns.items():
        try:
            works[name] = build(shared)
        except MissingRivalError as error:
            record.missing[name] = str(error)
        except Exception as error:
            traceback.print_exc()
            record.missing[name] = last_words(error)
    clock = processor if row.meter is None else row.meter(shared)
    record.samples, failed = interleaved(works, record.rounds, clock)
    record.missing |= failed
    record.machine, record.versions = machine.machine(), machine.versions()


def _record(found: dict[str, Any]) -> Record:
    samples = {name: [Sample(**each) for each in runs] for name, runs in found.pop("samples").items()}
    return Record(**found, samples=samples)
