"""A loaded graph read again from where it came: by the same options, all or nothing, under the same account."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from edgedp.ledger import registry
from edgedp.stores.curator import CuratorStore
from edgedp.words.errors import StoreError

if TYPE_CHECKING:
    from edgedp.graph.loading import LoadReport
    from edgedp.graph.loading.origins import Origin
    from edgedp.ledger.rows import GraphRow
    from edgedp.words.progress import Progress


class RefreshingStore(CuratorStore):
    """What a curator does with the source that a store remembers."""

    def source(self, name: str) -> dict[str, Any] | None:
        """Return where a loaded graph was read from, and when; None where nothing is remembered.

        Nothing is remembered of graphs that were made in memory, that an earlier program loaded, or that are in Neo4j.

        Returns
        -------
        dict or None
            ``source`` and ``nodes`` (a dataset, an absolute path, or an address without secrets), ``options``,
            ``properties``, ``title``, ``read_at`` (UTC), ``row_count``, and ``unrepeatable``: why it cannot be read
            again, or an empty text.

        Raises
        ------
        EdgeDPError
            There is no graph of that name.

        Notes
        -----
        Privacy: for the curator. The number of rows is private as the edges are.
        """
        _, origin = self._origin(name)
        return None if origin is None else asdict(origin)

    def refresh(self, name: str, *, progress: Progress | None = None) -> dict[str, Any]:
        """Read a loaded graph again from its source by the same options, and put it in the place of the one before.

        Its account stays with what was spent, and so do degree bound, limit of one release and title. A source that
        cannot be read, or breaks the degree bound, leaves everything as it was.

        Parameters
        ----------
        name : str
        progress : callable, optional
            As of `load`.

        Returns
        -------
        dict
            The graph's row of `graphs`.

        Raises
        ------
        EdgeDPError
            There is no such graph, nothing is remembered of its source, or the source is refused.

        Notes
        -----
        Privacy: the curator's act, as `load`. Releases of both versions are charged to one account.
        """
        return self.refreshed(name, progress)[0]

    def refreshed(self, name: str, progress: Progress | None = None) -> tuple[dict[str, Any], LoadReport]:
        """Do what `refresh` does, and return what was found, too."""
        from edgedp.graph.loading import read_source
        from edgedp.graph.reading import checked_options

        row, origin = self._origin(name)
        if row.at_address:
            raise StoreError(
                f"the edges of {name!r} are at an address, and each release reads them; there is nothing to refresh"
            )
        if origin is None:
            raise StoreError(
                f"nothing is remembered of the source of {name!r}; load it again and replace it (--replace)"
            )
        if origin.unrepeatable:
            raise StoreError(
                f"{name!r} cannot be read again, for {origin.unrepeatable}; load it again and replace it (--replace)"
            )
        graph, report = read_source(
            origin.source,
            origin.nodes,
            checked_options(**origin.options, refresh=True),
            properties=[*origin.properties],
            title=origin.title,
            progress=progress,
        )
        loaded = self.load(
            graph,
            name,
            degree_bound=row.degree_bound,
            replace=True,
            title=origin.title,
            progress=progress,
        )
        return loaded, report

    def _origin(self, name: str) -> tuple[GraphRow, Origin | None]:
        with self._session(reading=True) as session:
            row = registry.known(session, name, anywhere=True)
            return row, session.origin(row) if row.loaded else None
