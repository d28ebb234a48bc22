"""Stores the files of LoRA adapters on disk: copies them atomically, and identifies them by a hash
of their content.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from lull.core.errors import StoreError
from lull.store.on_disk import to_disk

ADAPTER_FILES: Final = ("adapters.safetensors", "adapter_config.json")
"""The files of an mlx-lm adapter; only these are kept."""
_TEMPORARY_PREFIX: Final = ".taking-"


def fingerprint(folder: Path) -> str:
    """Return one sha256 of both files of the LoRA adapter in a folder, weights and config.

    Raises StoreError if a file cannot be read.
    """
    whole = hashlib.sha256()
    for name in ADAPTER_FILES:
        try:
            with (folder / name).open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise StoreError(
                f"The adapter in {folder} has no readable {name}: {error.strerror}.",
                hint="The adapter before it is used instead; `lull adapters list` shows them.",
            ) from error
        whole.update(f"{digest}  {name}\n".encode())
    return whole.hexdigest()


def damage_in(folder: Path, sha256: str) -> str:
    """Describe damage to the LoRA adapter's files in a folder; "" if there is none. Blocking."""
    try:
        found = fingerprint(folder)
    except StoreError as error:
        return error.detail
    return "" if found == sha256 else f"The files of {folder.name} are not what was trained."


class AdapterFiles:
    """Stores the files of LoRA adapters, in one folder per adapter under `root`. Blocking: call it
    from a thread.
    """

    def __init__(self, root: Path, *, rows_missing: Callable[[], bool] = lambda: False) -> None:
        """Configure the folder `root`, which holds one folder per stored adapter.

        `rows_missing` returns whether the database has lost rows; then folders of unknown adapters
        are kept.
        """
        self.root = root
        self._rows_missing = rows_missing

    def folder(self, adapter: str) -> Path:
        return self.root / adapter

    def take_in(self, adapter: str, source: Path) -> str:
        """Copy a trained LoRA adapter into the folder of stored adapters and return the sha256 of
        its files.

        Replaces whatever a crash left there. Raises StoreError.
        """
        target, temporary = self.folder(adapter), self.root / f"{_TEMPORARY_PREFIX}{adapter}"
        try:
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir(parents=True, mode=0o700)
            for name in ADAPTER_FILES:
                shutil.copyfile(source / name, temporary / name)
                to_disk(temporary / name)
            to_disk(temporary)
            shutil.rmtree(target, ignore_errors=True)
            temporary.rename(target)
            to_disk(self.root)
        except OSError as error:
            raise StoreError(
                f"The adapter in {source} cannot be kept: {error.strerror}.",
                hint="Check free space and the folder's permissions.",
            ) from error
        return fingerprint(target)

    def damage(self, adapter: str, sha256: str) -> str:
        """Describe damage to a stored LoRA adapter's files; "" if there is none."""
        return damage_in(self.folder(adapter), sha256)

    def remove(self, adapter: str) -> None:
        shutil.rmtree(self.folder(adapter), ignore_errors=True)

    def sweep(self, known: Iterable[str]) -> None:
        """Remove folders that belong to no known LoRA adapter, such as copies interrupted by a
        crash. Where the database has lost rows, only interrupted copies go.
        """
        if not self.root.is_dir():
            return
        names, keeps_unknown = set(known), self._rows_missing()
        for folder in self.root.iterdir():
            unfinished = folder.name.startswith(_TEMPORARY_PREFIX)
            if folder.name not in names and (unfinished or not keeps_unknown):
                shutil.rmtree(folder, ignore_errors=True)
