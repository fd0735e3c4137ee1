"""Records for the examples: columns of a CSV file or of `graph.properties`, read against declared categories."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from edgedp.mechanisms.selection.domains import codes


@dataclass(frozen=True)
class Records:
    """Attributes and classes as small integers, with the public number of values of each.

    What is not among the declared categories is one more value, what is missing another: every record can be
    replaced by every other. `public_count` is the number of records in the whole table; a part has it too.
    """

    attributes: np.ndarray  # (n, m) int64
    sizes: tuple[int, ...]  # how many values attribute j may have
    labels: np.ndarray  # (n,) int64
    classes: int
    public_count: int

    def where(self, rows: np.ndarray) -> Records:
        """Return a part of the records; the public facts stay."""
        return Records(self.attributes[rows], self.sizes, self.labels[rows], self.classes, self.public_count)

    def counts(self, attribute: int) -> np.ndarray:
        """Return how many records have each value of an attribute with each class: (values, classes)."""
        cells = self.attributes[:, attribute] * self.classes + self.labels
        shape = self.sizes[attribute], self.classes
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)


def encode(columns: Mapping[str, Any], categories: Mapping[str, Sequence[Any]], label: str) -> Records:
    """Read columns against **public** categories; a class that is not declared counts as the first one."""
    names = [name for name in categories if name != label]
    attributes = np.column_stack([codes(columns[name], categories[name]) for name in names])
    labels = codes(columns[label], categories[label])
    labels = np.where(labels < len(categories[label]), labels, 0)
    sizes = tuple(len(categories[name]) + 2 for name in names)
    return Records(attributes, sizes, labels, len(categories[label]), len(labels))


def read_csv(path: str | Path) -> dict[str, list[str]]:
    """Return the columns of a CSV file with a header; every value is a text."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {name: [row[place] for row in rows[1:]] for place, name in enumerate(rows[0])}


def folds(records: Records, count: int, rng: np.random.Generator) -> Iterator[tuple[Records, Records]]:
    """Yield training and test records, each record once in a test."""
    of = rng.permutation(len(records.labels)) % count
    for fold in range(count):
        train, test = records.where(of != fold), records.where(of == fold)
        yield Records(train.attributes, train.sizes, train.labels, train.classes, len(train.labels)), test


def table_of(arguments: Sequence[str]) -> tuple[Records, list[str]]:
    """Read ``FILE CLASS VALUES ...``: a CSV file whose columns all have the values listed, and what is left."""
    path, label, values, *rest = arguments
    columns = read_csv(path)
    return encode(columns, {name: values.split(",") for name in columns}, label), rest
