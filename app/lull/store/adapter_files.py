"""The files of adapters: taken in whole or not at all, and known by what is in them."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from lull.core.errors import StoreError

FILES: Final = ("adapters.safetensors", "adapter_config.json")
"""What mlx-lm writes of an adapter, and all that is kept."""
_TAKEN: Final = ".taking-"


def fingerprint(folder: Path) -> str:
    """The sha256 by which an adapter's files are known, weights and scale alike.

    Raises StoreError where one cannot be read.
    """
    whole = hashlib.sha256()
    for name in FILES:
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


class AdapterFiles:
    """One folder for each adapter under `root`. Blocks; call it from a thread."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def folder(self, adapter: str) -> Path:
        return self._root / adapter

    def take_in(self, adapter: str, source: Path) -> str:
        """Copy a finished adapter to its place; its fingerprint. What a crash left is replaced.

        Raises StoreError.
        """
        target, temporary = self.folder(adapter), self._root / f"{_TAKEN}{adapter}"
        try:
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir(parents=True, mode=0o700)
            for name in FILES:
                shutil.copyfile(source / name, temporary / name)
                _to_disk(temporary / name)
            shutil.rmtree(target, ignore_errors=True)
            temporary.rename(target)
            _to_disk(self._root)
        except OSError as error:
            raise StoreError(
                f"The adapter in {source} cannot be kept: {error.strerror}.",
                hint="Check free space and the folder's permissions.",
            ) from error
        return fingerprint(target)

    def damage(self, adapter: str, sha256: str) -> str:
        """What is wrong with its files, "" for nothing."""
        try:
            found = fingerprint(self.folder(adapter))
        except StoreError as error:
            return error.detail
        return "" if found == sha256 else f"The files of {adapter} are not what was trained."

    def remove(self, adapter: str) -> None:
        shutil.rmtree(self.folder(adapter), ignore_errors=True)

    def sweep(self, known: Iterable[str]) -> None:
        """Remove folders that no adapter has: of takings-in that a crash ended."""
        if not self._root.is_dir():
            return
        names = set(known)
        for folder in self._root.iterdir():
            if folder.name not in names:
                shutil.rmtree(folder, ignore_errors=True)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
