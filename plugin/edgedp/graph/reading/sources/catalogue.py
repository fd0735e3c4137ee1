"""The datasets known by name: one TOML manifest each, in ``loaders/``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NoReturn

from edgedp.words.errors import GraphFormatError, UnknownNameError
from edgedp.words.places import asset


@dataclass(frozen=True, kw_only=True, slots=True)
class Resource:
    """A file of a dataset: where it is, and what it must hash to.

    Parameters
    ----------
    address : str or None
        Where it is fetched from.
    sha256 : str or None
        Checksum of the bundled file, or of the one at the address; None where nobody has published one.
    bundled : Path or None
        The copy that comes with this package.
    member : str or None
        Where the address is that of a zip archive of several files: the one to read.
    member_sha256 : tuple of str
        The checksums that it may have, one for each ending of its lines.
    copies : mapping of str to str
        Names that a copy in the folder `EDGEDP_DATA` may have, with the checksum of each.
    copies_note : str or None
        What a load says of such a copy, where it is not the published file.
    """

    address: str | None
    sha256: str | None
    bundled: Path | None
    member: str | None = None
    member_sha256: tuple[str, ...] = ()
    copies: Mapping[str, str] = field(default_factory=dict)
    copies_note: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Dataset:
    """A public graph and what is known of it.

    Parameters
    ----------
    name : str
        Its name in the catalogue, that of its manifest.
    title, description, licence, citation, page, format : str
        For people; nothing is computed from them. `page` is the address of its documentation.
    edge_list, node_list : Resource
        Its files; most have no list of nodes.
    directed : bool
        Whether the source lists directed edges (they are read as undirected ones).
    nodes, edges, max_degree : int or None
        Figures of the graph as it is read here: undirected, simple. None where they are not published.
    listed_edges : int or None
        Edges as the source counts them, where that is another count.
    date : int or None
        The column that holds the date of each row, from 1; None where there is none.
    date_unit : {"s", "ms"} or None
        What it counts since 1970 began, or since the source's own beginning.

    Examples
    --------
    >>> enron = dataset("email-Enron")
    >>> enron.nodes, enron.edges, enron.max_degree, enron.bundled
    (36692, 183831, 1383, True)
    """

    name: str
    title: str
    description: str
    licence: str
    citation: str
    page: str
    format: str
    directed: bool
    edge_list: Resource
    node_list: Resource | None
    nodes: int | None
    edges: int | None
    max_degree: int | None
    listed_edges: int | None
    date: int | None = None
    date_unit: Literal["s", "ms"] | None = None

    @property
    def bundled(self) -> bool:
        """Whether it can be read without the network."""
        return self.edge_list.bundled is not None


def catalogue(folder: Path | None = None) -> tuple[Dataset, ...]:
    """Return every dataset, by name.

    Parameters
    ----------
    folder : Path, optional
        Where the manifests are; default: those of this package.

    Raises
    ------
    GraphFormatError
        A manifest has a field that is missing, unknown or of the wrong kind.

    Examples
    --------
    >>> [entry.name for entry in catalogue() if entry.bundled]
    ['email-Enron']
    """
    folder = folder or asset("loaders")
    return tuple(
        _read_manifest(path) for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem.lower())
    )


def datasets() -> tuple[Dataset, ...]:
    """Return the graphs that `edgedp.read_graph` knows by name, in the order of their names.

    Returns
    -------
    tuple of Dataset
        Each with `name`, `title`, `nodes`, `edges`, `max_degree`, `licence`, `citation` and `bundled`.

    Examples
    --------
    >>> [found.name for found in datasets() if found.bundled]
    ['email-Enron']
    """
    return catalogue()


def dataset(name: str, folder: Path | None = None) -> Dataset:
    """Return the dataset of that name; only its own manifest is read.

    Raises
    ------
    UnknownNameError
        There is none; the message names the nearest one.
    GraphFormatError
        Its manifest is broken.
    """
    folder = folder or asset("loaders")
    names = dataset_names(folder)
    if name not in names:
        raise UnknownNameError(
            f"dataset is {name!r}, must be one of the catalogue; {suggestion(name, names)}"
        )
    return _read_manifest(folder / f"{name}.toml")


def dataset_names(folder: Path | None = None) -> list[str]:
    """Return the names in the catalogue without reading a manifest."""
    return sorted(path.stem for path in (folder or asset("loaders")).glob("*.toml"))


def suggestion(name: str, names: list[str]) -> str:
    """Return what to do about a misspelt name: take the nearest one, or look at the list."""
    folded = {known.lower(): known for known in names}
    near = get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return f"did you mean {folded[near[0]]!r}?" if near else "see `edgedp datasets`"


# -- manifests --------------------------------------------------------------------------------------

_Rule = tuple[Callable[[Any], object], str]


def _text(pattern: str, condition: str) -> _Rule:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value), condition


_TEXT = _text(r"(?s).*\S.*", "a text that is not empty")
_SHA256 = _text("[0-9a-f]{64}", "64 hexadecimal digits")
_FILE = _text(r"[^/\0]+", "the name of a file in the folder")
_ADDRESS = _text(r"https?://.*", "an http(s) address")
_COUNT: _Rule = (lambda value: type(value) is int and value > 0, "an integer above 0")
_FILE_FIELDS: Mapping[str, _Rule] = {
    "address": _ADDRESS,
    "sha256": _SHA256,
    "bundled": _FILE,
    "member": _text(r".*\S.*", "the path of a file in the archive"),
    "member_sha256": (
        lambda value: isinstance(value, list) and value and all(map(_SHA256[0], value)),
        "a list of checksums, 64 hexadecimal digits each",
    ),
    "copies": (
        lambda value: (
            isinstance(value, dict) and all(_FILE[0](k) and _SHA256[0](v) for k, v in value.items())
        ),
        "a table of file names with the checksum of each, 64 hexadecimal digits",
    ),
    "copies_note": _TEXT,
}
_NEEDED: Mapping[str, _Rule] = {
    **dict.fromkeys(("title", "description", "licence", "citation", "format"), _TEXT),
    "page": _ADDRESS,
    "directed": (lambda value: isinstance(value, bool), "true or false"),
}
_FIELDS: Mapping[str, _Rule] = {
    **_FILE_FIELDS,
    **_NEEDED,
    **dict.fromkeys(("nodes", "edges", "max_degree", "listed_edges", "date"), _COUNT),
    "date_unit": _text("s|ms", "'s' or 'ms'"),
    "node_list": (lambda value: isinstance(value, dict), "a table of address, sha256, bundled"),
}


def _read_manifest(path: Path) -> Dataset:
    """Read and check one manifest; every refusal names the file and the field."""
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise GraphFormatError(
            f"{path.name} cannot be read as TOML ({error}); correct the manifest"
        ) from None
    _check(written, _FIELDS, path)
    node_list = written.get("node_list")
    if node_list is not None:
        _check(node_list, _FILE_FIELDS, path, within="node_list.")
    plain = {field.name: written.get(field.name) for field in fields(Dataset)}
    plain |= {
        "name": path.stem,
        "edge_list": _resource(written, path),
        "node_list": None if node_list is None else _resource(node_list, path, within="node_list."),
    }
    return Dataset(**plain)  # type: ignore[arg-type]  # every field was checked by _check


def _check(written: Mapping[str, Any], known: Mapping[str, _Rule], path: Path, within: str = "") -> None:
    for key, value in written.items():
        if key not in known:
            near = get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
            _refuse(path, within + key, "not a known field", "one of the fields of a manifest", hint)
        accepts, condition = known[key]
        if not accepts(value):
            _refuse(path, within + key, repr(value), condition)
    for key in known:
        if key not in written and key in _NEEDED:
            _refuse(path, within + key, "missing", known[key][1])


def _resource(written: Mapping[str, Any], path: Path, within: str = "") -> Resource:
    bundled = written.get("bundled")
    if bundled is None and written.get("address") is None:
        _refuse(path, within + "address", "missing", "given where no file is bundled")
    if bundled is not None and not (path.parent / bundled).is_file():
        _refuse(path, within + "bundled", repr(bundled), "a file beside the manifest")
    if ("member" in written) != ("member_sha256" in written):
        _refuse(path, within + "member", "not given with member_sha256", "given with its checksum")
    return Resource(
        address=written.get("address"),
        sha256=written.get("sha256"),
        bundled=None if bundled is None else path.parent / bundled,
        member=written.get("member"),
        member_sha256=tuple(written.get("member_sha256", ())),
        copies=written.get("copies", {}),
        copies_note=written.get("copies_note"),
    )


def _refuse(
    path: Path, field: str, value: str, condition: str, advice: str = "correct the manifest"
) -> NoReturn:
    raise GraphFormatError(f"{path.name}: {field} is {value}, must be {condition}; {advice}")
