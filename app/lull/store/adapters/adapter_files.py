"""Stores the files of LoRA adapters on disk: copies them atomically, and identifies them by a hash
of their content.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import logging
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Protocol

from lull.core.adapters.adapter import adapter_sha256
from lull.core.errors import AdapterError, StoreError
from lull.store.disk.on_disk import NOT_REGULAR, inside, leads_nowhere, open_regular, to_disk

log = logging.getLogger(__name__)

ADAPTER_FILES: Final = ("adapters.safetensors", "adapter_config.json")
"""The files of an mlx-lm adapter; only these are kept."""
_TEMPORARY_PREFIX: Final = ".taking-"


_IS_DAMAGE: Final = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR}
"""Error numbers of opening a file that mean that the file is gone or replaced by something else.
Other errors may pass, such as a loop of links, which the user can undo.
"""


class UnreadableAdapter(AdapterError):
    """Error: the files of a LoRA adapter cannot be read now (permissions, a fault of the disk, too
    many open files), which says nothing about what is in them.
    """


class ChangedAdapter(AdapterError):
    """Error: the files of a trained LoRA adapter are not those that its trainer wrote."""


def fingerprint(folder: Path) -> str:
    """Return one sha256 of both files of the LoRA adapter in a folder, weights and config.

    Raises StoreError if a file is missing or no regular file (a pipe would be waited for, and a
    device may have no end), UnreadableAdapter if it cannot be read now.
    """
    digests = []
    for name in ADAPTER_FILES:
        try:
            with os.fdopen(open_regular(folder / name), "rb") as file:
                digests.append(hashlib.file_digest(file, "sha256").hexdigest())
        except OSError as error:
            if _is_damage(error, folder / name):
                raise StoreError(
                    f"The adapter in {folder} has no readable {name}: {error.strerror}.",
                    hint="The adapter before it is used instead; `lull adapters list` shows them.",
                ) from error
            raise UnreadableAdapter(
                f"{folder / name} cannot be read now: {error.strerror}.",
                hint="It is used again as soon as it can be read. Check the disk and the file's "
                "permissions.",
            ) from error
    weights, config = digests
    return adapter_sha256(weights=weights, config=config)


def _is_damage(error: OSError, file: Path) -> bool:
    """Whether an adapter's file is gone or something else for good, and not only out of reach."""
    if error.strerror == NOT_REGULAR:
        return True
    return error.errno in _IS_DAMAGE and not leads_nowhere(file)


def check_as_written(folder: Path, sha256: str) -> None:
    """Raise ChangedAdapter if the files of the LoRA adapter in a folder do not have this hash,
    UnreadableAdapter if they cannot be read now. Blocking.

    Files that are gone are no others: what has to read them says so.
    """
    with contextlib.suppress(StoreError):
        if fingerprint(folder) != sha256:
            raise changed_adapter(folder.parent.name)


def changed_adapter(run: str) -> ChangedAdapter:
    """Return the error which says that the adapter of a training run is not the one that its
    trainer wrote.
    """
    log.warning("the adapter of %s is not what its trainer wrote", run)
    return ChangedAdapter(
        "The adapter is not what its training wrote: its files or their record were changed "
        "outside of Lull.",
        hint="It is not used. What it was trained on may be used again.",
    )


def damage_in(folder: Path, sha256: str) -> str:
    """Describe damage to the LoRA adapter's files in a folder, or why they cannot be read; "" if
    there is none. Blocking.
    """
    try:
        return _damage(folder, sha256)
    except UnreadableAdapter as error:
        return error.detail


def _damage(folder: Path, sha256: str) -> str:
    """As `damage_in`. Raises UnreadableAdapter if the files cannot be read now."""
    try:
        found = fingerprint(folder)
    except StoreError as error:
        return error.detail
    return "" if found == sha256 else f"The files of {folder.name} are not what was trained."


class TrainedFiles(Protocol):
    """Interface that finds the files of LoRA adapters where training runs left them."""

    def adapter(self, run: str) -> Path:
        """Return the folder of the adapter that this training run made."""


class AdapterFiles:
    """Stores the files of LoRA adapters, in one folder per adapter under `root`. Blocking: call it
    from a thread.
    """

    def __init__(
        self,
        root: Path,
        *,
        rows_missing: Callable[[], bool] = lambda: False,
        runs: TrainedFiles | None = None,
    ) -> None:
        """Configure the folder `root`, which holds one folder per stored adapter.

        `rows_missing` returns whether the database has lost rows; then folders of unknown adapters
        are kept. `runs` finds the adapter that was copied here where its training run left it: a
        second copy as long as it is kept.
        """
        self.root = root
        self._rows_missing = rows_missing
        self._runs = runs

    def folder(self, adapter: str) -> Path:
        """Return the folder of an adapter's files."""
        return inside(self.root, adapter)

    def take_in(self, adapter: str, source: Path, sha256: str = "") -> str:
        """Copy a trained LoRA adapter into the folder of stored adapters and return the sha256 of
        its files.

        Replaces whatever a crash left there. Raises StoreError; ChangedAdapter if `sha256` is given
        and the copy has another one: then nothing is kept.
        """
        target, temporary = self.folder(adapter), inside(self.root, f"{_TEMPORARY_PREFIX}{adapter}")
        try:
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir(parents=True, mode=0o700)
            for name in ADAPTER_FILES:
                with (
                    os.fdopen(open_regular(source / name), "rb") as whole,
                    (temporary / name).open("xb") as copy,
                ):
                    shutil.copyfileobj(whole, copy)
                to_disk(temporary / name)
            to_disk(temporary)
            if sha256 and fingerprint(temporary) != sha256:
                shutil.rmtree(temporary, ignore_errors=True)
                raise changed_adapter(adapter)
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

    def mend(self, adapter: str, sha256: str, run: str | None) -> str:
        """Replace a stored LoRA adapter's files, if they are damaged, by the copies in the folder
        of its training run `run`; return a description of the damage that could not be repaired, ""
        if there is none.

        Raises UnreadableAdapter if there is no other copy and the files cannot be read now.
        """
        folder = self.folder(adapter)
        if not damage_in(folder, sha256):
            return ""
        if run is not None and self._runs is not None:
            left = self._runs.adapter(run)
            with contextlib.suppress(StoreError):  # as where there is no other copy
                if not damage_in(left, sha256) and self.take_in(adapter, left) == sha256:
                    return ""
        return _damage(folder, sha256)

    def remove(self, adapter: str) -> None:
        """Delete an adapter's files. Blocking."""
        shutil.rmtree(self.folder(adapter), ignore_errors=True)

    def sweep(self, known: Iterable[str]) -> None:
        """Remove folders that belong to no known LoRA adapter, such as copies interrupted by a
        crash. If the database has lost rows, only interrupted copies are removed.
        """
        if not self.root.is_dir():
            return
        names, keeps_unknown = set(known), self._rows_missing()
        for folder in self.root.iterdir():
            unfinished = folder.name.startswith(_TEMPORARY_PREFIX)
            if folder.name not in names and (unfinished or not keeps_unknown):
                shutil.rmtree(folder, ignore_errors=True)
