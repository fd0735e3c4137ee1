"""An embedded store that is made: a private folder with an empty ledger."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from edgedp.stores.embedded.folder import Folder, building_folder, private_file, sync
from edgedp.stores.embedded.sqlite import create
from edgedp.words.errors import StoreError


def make(folder: Folder) -> None:
    """Make an empty store: whole and private at every moment, by one renaming."""
    folder.check_name()
    folder.check_never_was()
    if not os.path.isdir(folder.path.parent):
        raise StoreError(f"store is {folder.given}, whose folder does not exist; create it first")
    try:
        with building_folder(folder.path) as building:
            fill(building, folder.given)
            os.rename(building, folder.path)
    except FileExistsError:
        return  # somebody else made it at the same time
    except OSError as error:
        if os.path.lexists(folder.path):
            return
        raise StoreError(
            f"store is {folder.given}, which cannot be made ({error.strerror}); check its folder's permissions and room"
        ) from None
    sync(folder.path.parent)


def fill(building: Path, shown: Path) -> None:
    """Put a new ledger into an empty folder."""
    ledger = Folder(building).ledger
    private_file(ledger)
    with create(ledger, shown, secrets.token_hex(32)):
        pass
    sync(ledger)
    sync(building)
