"""Makes backups of Lull's data in a running service: on a schedule in quiet moments, and on
request.

Forgetting a conversation stops a backup in progress, so that no backup contains what is being
deleted.

`GET /v1/backup` answers `{"under_way": {"part", "done", "of"} or null, "backups": [{"file", "at",
"bytes"}]}`. A POST of `{"file": PATH or ""}` makes a backup and answers `{"file", "bytes", "at",
"holds": {…}, "files", "left_out", "odd", "damaged"}`: `holds` counts what is in it, `files` is the
number of files, `left_out` names the kinds of data never backed up, `odd` the paths that could not
be, and `damaged` those of adapters and skill texts that are damaged or gone, which an earlier
backup may still have whole.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from lull import __version__
from lull.config.settings import BackupSettings
from lull.contract.json_object import Json
from lull.core.backups.backup import (
    LEFT_OUT,
    backups_to_delete,
    by_hand_name,
    by_schedule_name,
    is_due,
    schedule_number,
)
from lull.core.errors import BackupError, Busy, LullError, UsageError
from lull.core.ports import Clock
from lull.service.idle.quiet import Activity
from lull.service.process.lock import alive
from lull.service.process.problems import Problems
from lull.store.backups.backup import COPYING, FinishedBackup, make
from lull.store.backups.parts import Tell
from lull.store.backups.reading import manifest_of
from lull.store.backups.restoring import replaced_data_folders
from lull.store.disk.leftovers import sweep_folder
from lull.store.disk.on_disk import read_regular, write_atomically
from lull.store.sqlite.database import Database

log = logging.getLogger(__name__)

PROBLEM: Final = "backup"
KEPT_PROBLEM: Final = "old backups"
LOOK_WHETHER_DUE_EVERY_S: Final = 15.0
RETRY_S: Final = 600.0
"""Seconds until the next check for a due backup, after one was made, failed or was not due."""
_MADE: Final = "backups.json"
_MOST_MADE_BYTES: Final = 4_000_000
_REMEMBERED: Final = 500
_NAMED: Final = 3
"""How many damaged things a message names."""


class BackupStopped(Exception):  # it is no failure, and nobody reads it
    """Exception that stops a backup in progress, because the service ends or a conversation is
    being deleted.
    """


# Files


def backup_folder(home: Path, settings: BackupSettings) -> Path:
    """Return the folder that backups go into: the configured one, or Lull's default one.

    Raises BackupError if the configured folder does not exist or the default one cannot be made.
    """
    if not settings.folder:
        folder = home / "backups"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise BackupError(f"{folder}: {error.strerror}.", hint="Check the disk.") from error
        return folder
    folder = Path(settings.folder)
    if not folder.is_dir():
        raise BackupError(
            f"The folder {folder} is not there.",
            hint="Is its disk connected? `lull settings set backup.folder` names another.",
        )
    return folder


def make_on_request(
    home: Path, settings: BackupSettings, wanted: str, *, now: datetime, tell: Tell
) -> Json:
    """Make a backup on the user's request and return its JSON.

    `wanted` is a file, a folder, or "" for the default folder. `tell` is called with the progress.
    Blocking.
    """
    target = Path(wanted) if wanted else backup_folder(home, settings)
    if target.is_dir():
        target /= by_hand_name(now.astimezone())
    return view_of(_made(home, target, now=now, tell=tell))


def _made(home: Path, target: Path, *, now: datetime, tell: Tell) -> FinishedBackup:
    with contextlib.suppress(OSError):  # only for what `lull forget` says and removes
        sweep_unfinished(home, ())
        known = [str(file) for file in existing_backups(home, ())]
        files = [*(file for file in known if file != str(target)), str(target)][-_REMEMBERED:]
        # Before it is made: by this a half one is found whose making is killed.
        write_atomically(home / _MADE, json.dumps(files).encode())
    return make(home, target, at=now.isoformat(), version=__version__, alive=alive, tell=tell)


def _remembered(home: Path) -> list[Path]:
    with contextlib.suppress(OSError, ValueError):
        return [Path(file) for file in json.loads(read_regular(home / _MADE, _MOST_MADE_BYTES))]
    return []


def sweep_unfinished(home: Path, folders: tuple[Path, ...]) -> None:
    """Remove the half backup files that killed processes left where Lull made backups: they hold
    conversations, and nobody knows of them. Blocking; no backup may be under way.
    """
    beside = [file.parent for file in _remembered(home)]
    for folder in dict.fromkeys((home / "backups", *folders, *beside)):
        with contextlib.suppress(OSError):
            sweep_folder(folder, alive)


def existing_backups(home: Path, folders: tuple[Path, ...]) -> list[Path]:
    """Return the backup files that exist: those that Lull recorded when it made them, and those in
    the home's backup folder or in `folders`.

    Blocking.
    """
    found = dict.fromkeys(_remembered(home))
    for folder in (home / "backups", *folders):
        found |= dict.fromkeys(sorted(folder.glob("lull-*.zip")))
    return [file for file in found if file.is_file()]


def view_of(made: FinishedBackup) -> Json:
    """Return the JSON that the control API shows of a backup that was made."""
    return {
        "file": str(made.file),
        "bytes": made.size,
        "at": made.manifest.at,
        "holds": asdict(made.manifest.counts),
        "files": len(made.manifest.entries),
        "left_out": list(LEFT_OUT),
        "odd": list(made.left),
        "damaged": list(made.damaged),
    }


def newest(folder: Path) -> datetime | None:
    """Return when the newest scheduled backup in this folder was made; None without one.
    Blocking."""
    names = [file.name for file in folder.glob("lull-auto-*.zip") if schedule_number(file.name)]
    for name in sorted(names, key=schedule_number, reverse=True):
        with contextlib.suppress(BackupError):
            return datetime.fromisoformat(manifest_of(folder / name).at)
    return None


# In a running service


class Backups:
    """Makes backups of Lull's data folder, as often as the settings say and when it is asked to."""

    def __init__(
        self,
        home: Path,
        database: Database,
        problems: Problems,
        clock: Clock,
        activity: Activity,
        *,
        settings: Callable[[], BackupSettings],
        quiet_s: Callable[[], float],
    ) -> None:
        self._home = home
        self._database = database
        self._problems = problems
        self._clock = clock
        self._activity = activity
        self._settings = settings
        self._quiet_s = quiet_s
        self._turn = asyncio.Lock()
        self._stop = threading.Event()
        self._progress: Json | None = None
        self._again_s = float("-inf")

    # By schedule

    async def run(self) -> None:
        """Check every 15 seconds whether a scheduled backup is due, until cancelled."""
        async with self._turn:
            await asyncio.to_thread(sweep_unfinished, self._home, self._folders())
        while True:
            await asyncio.sleep(LOOK_WHETHER_DUE_EVERY_S)
            await self.make_if_due()

    async def make_if_due(self) -> None:
        """Make a scheduled backup if one is due and no chat has run for a while.

        A failure is shown to the user as a problem.
        """
        settings = self._settings()
        if not settings.every_days:
            self._problems.clear(PROBLEM)
            self._problems.clear(KEPT_PROBLEM)
            return
        if self._clock.monotonic_s() < self._again_s:
            return
        try:
            folder = await asyncio.to_thread(backup_folder, self._home, settings)
            last = await asyncio.to_thread(newest, folder)
            if is_due(last, self._clock.now(), settings.every_days):
                if self._activity.busy or self._activity.quiet_since_start_s < self._quiet_s():
                    return
                await self._by_schedule(folder, settings.keep)
            self._again_s = self._clock.monotonic_s() + RETRY_S
        except BackupStopped:
            return
        except (LullError, OSError) as error:
            self._again_s = self._clock.monotonic_s() + RETRY_S
            self._problems.report(PROBLEM, _by_itself(error))
        else:
            self._problems.clear(PROBLEM)

    async def _by_schedule(self, folder: Path, keep: int) -> None:
        def work(tell: Tell) -> FinishedBackup:
            now = self._clock.now()
            name = by_schedule_name((file.name for file in folder.iterdir()), now)
            made = _made(self._home, folder / name, now=now, tell=tell)
            # Where something is missing the old ones may be all that has it.
            if not (self._database.rows_missing() or made.damaged):
                for name in backups_to_delete((one.name for one in folder.iterdir()), keep):
                    (folder / name).unlink(missing_ok=True)
            return made

        made: FinishedBackup = await self._alone(work, gives_way=True)
        log.info("backup made: %s", made.file.name)
        self._problems.set_or_clear(KEPT_PROBLEM, _old_kept(made, folder))

    # At the user's word

    async def make(self, wanted: Json) -> Json:
        """Make a backup on request and return its description.

        Raises UsageError, Busy, BackupError.
        """
        file = wanted.get("file", "")
        if not isinstance(file, str) or (file and not Path(file).is_absolute()):
            raise UsageError(
                "“file” is not a whole path.", hint="See the documentation of the control API."
            )
        if self._progress is not None:
            raise Busy("A backup is being made now.", hint="Try again when it is done.")
        now, settings = self._clock.now(), self._settings()
        while True:
            try:
                made: Json = await self._alone(
                    lambda tell: make_on_request(self._home, settings, file, now=now, tell=tell)
                )
                return made
            except BackupStopped:
                await asyncio.sleep(0)  # a conversation was forgotten: begin again without it

    def view(self) -> Json:
        """Return the progress of the backup in progress and the list of existing backups.
        Blocking."""
        files = [(file, file.stat()) for file in self.existing()]
        listed = [
            {
                "file": str(file),
                "at": datetime.fromtimestamp(stat.st_mtime).astimezone().isoformat(),
                "bytes": stat.st_size,
            }
            for file, stat in files
        ]
        return {"under_way": self._progress, "backups": listed}

    # Beside others

    def existing(self) -> list[Path]:
        """Return the backup files that exist: those that Lull recorded when it made them, and those
        in its backup folders.

        Blocking.
        """
        return existing_backups(self._home, self._folders())

    def _folders(self) -> tuple[Path, ...]:
        folder = self._settings().folder
        return (Path(folder),) if folder else ()

    def remaining_copies(self) -> list[Path]:
        """Return the files that may still contain a conversation after the user had it deleted:
        backups, and data that restores of backups have set aside.

        Blocking.
        """
        return [*self.existing(), *replaced_data_folders(self._home)]

    @asynccontextmanager
    async def paused(self) -> AsyncIterator[None]:
        """Context manager that stops a backup in progress and lets none start, while a conversation
        is deleted.

        A backup could contain what is being deleted, and so could the half ones that are removed.
        """
        self._stop.set()
        async with self._turn:
            await asyncio.to_thread(sweep_unfinished, self._home, self._folders())
            yield

    @asynccontextmanager
    async def none_running(self) -> AsyncIterator[None]:
        """Context manager that waits until a backup in progress has ended, and lets none start."""
        async with self._turn:
            yield

    async def _alone(self, work: Callable[[Tell], Any], *, gives_way: bool = False) -> Any:
        async with self._turn:
            await asyncio.to_thread(self._database.place.check)
            self._stop = stop = threading.Event()
            self._progress = {"part": COPYING, "done": 0, "of": 0}

            def tell(part: str, done: int, of: int) -> None:
                self._progress = {"part": part, "done": done, "of": of}
                while not stop.is_set() and gives_way and part != COPYING and self._activity.busy:
                    time.sleep(0.05)
                if stop.is_set():
                    raise BackupStopped
                if part != COPYING:  # while copying nothing may raise
                    self._database.place.check()

            task = asyncio.ensure_future(asyncio.to_thread(work, tell))
            try:
                return await asyncio.shield(task)
            finally:
                stop.set()
                # Whoever waits for our turn finds nothing of it.
                await asyncio.wait([task])
                task.exception()
                self._progress = None


def _old_kept(made: FinishedBackup, folder: Path) -> BackupError | None:
    """Return the error that tells the user why no old backup goes; None if nothing is damaged."""
    if not made.damaged:
        return None
    named, others = ", ".join(made.damaged[:_NAMED]), len(made.damaged) - _NAMED
    detail = f"Damaged or gone, also in the newest backup: {named}. No old backup is deleted."
    if others > 0:
        detail = (
            f"Damaged or gone, also in the newest backup: {named}, and {others} more. No old "
            "backup is deleted."
        )
    return BackupError(
        detail,
        hint="`lull restore` brings it back from one that has it. Old backups that you do not need "
        f"can be deleted in {folder}.",
    )


def _by_itself(error: LullError | OSError) -> BackupError:
    if isinstance(error, OSError):
        error = BackupError(f"{error.filename}: {error.strerror}.", hint="Check the folder.")
    return BackupError(f"The automatic backup failed: {error.detail}", hint=error.hint)
