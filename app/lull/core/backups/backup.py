"""Decides which files belong in a backup of Lull's data, when the next backup is due and which old
ones are deleted, and reads and writes a backup's manifest (its list of files).

A backup is a zip file with the database, the skill library, the trash, adapters, run folders, the
settings, and a manifest with each file's size and sha256. Secrets are never included, nor is
anything that can be rebuilt or downloaded again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from lull.core.errors import BackupError

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
MANIFEST_LIMIT: Final = 32 * 1024 * 1024
"""Largest manifest that is read, in bytes; enough for 200,000 files."""
DATABASE: Final = "lull.db"
FILES: Final = (DATABASE, "settings.toml")
FOLDERS: Final = ("library", "trash", "adapters", "runs")
CHECKPOINTS: Final = "checkpoints"
"""Subfolder of a training run that is not backed up: it is large, and a restored run trains again
from its start without it.
"""
LEFT_OUT: Final = (
    "passwords and tokens, calendar addresses among them",
    "weights of models",
    "the memory of past requests",
    "checkpoints of training runs",
    "logs",
)
"""What a backup leaves out, in words for the user; after a restore these are kept as they are on
this machine.
"""

_SWAPPED: Final = re.compile(
    r"lull\.db(-wal|-shm|-journal|\.suspect)?|witness(\.lost-\d+)?\.json|settings\.toml"
    r"|library|trash|adapters|runs"
)
_SKILL_FOLDER_PARTS: Final = {"skills": 4, "archive": 4, "copies": 4, "waiting": 3}
"""Number of parts of the path of a skill's folder, by the folder of the library in which it lies.
"""
_OWN_PROOF: Final = re.compile(r"library/(?:skills|archive)/[^/]+/[^/]+/evidence\.json")
_BY_SCHEDULE: Final = re.compile(r"lull-auto-(\d{4,9})-\d{4}-\d\d-\d\d\.zip")
_ANOTHER_BACKUP: Final = "Use another backup."


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupCounts:
    """Numbers of conversations, turns (a request and its answer), skills, LoRA adapters and
    calendar feeds in a backup.
    """

    conversations: int
    turns: int
    generation: int
    skills: int
    """Number of skills, without deleted ones."""
    adapters: int
    calendars: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupEntry:
    """What a backup's manifest says of one of its files, by which the file is verified."""

    size: int
    """Size of the file in bytes."""
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The table of contents of a backup: when and by which Lull it was made, and its files."""

    at: str
    version: str
    """Version of Lull that made the backup."""
    layout: int
    """Version number of the database layout."""
    counts: BackupCounts
    entries: Mapping[str, BackupEntry]
    """The backed-up files, by path relative to Lull's data folder, with slashes."""

    @property
    def size(self) -> int:
        """The size of all backed-up files together, in bytes."""
        return sum(entry.size for entry in self.entries.values())


# Names


def is_plain(name: str) -> bool:
    """Whether a name is a safe relative path with slashes: printable, not too long, and without
    backslashes, empty parts or parts that begin with a dot.
    """
    parts = name.split("/")
    return (
        name.isprintable()
        and "\\" not in name
        and all(part and not part.startswith(".") and len(part.encode()) < 250 for part in parts)
        and len(name) < 1000
    )


def skill_folder_of(name: str) -> str:
    """Return the folder of the skill (an instruction text) to which the file at this path belongs;
    "" if it belongs to none. The user or a program may have put the file there. Both paths are
    relative to Lull's data folder.
    """
    parts = name.split("/")
    if parts[0] != "library" or len(parts) < 3 or parts[1] not in _SKILL_FOLDER_PARTS:
        return ""
    return "/".join(parts[: min(_SKILL_FOLDER_PARTS[parts[1]], len(parts) - 1)])


def is_place_of_proof(name: str) -> bool:
    """Whether this is a path (relative to Lull's data folder) at which Lull stores the test results
    that show that a skill helps, `evidence.json`. The file there may still be somebody else's.
    """
    return _OWN_PROOF.fullmatch(name) is not None


def belongs_in_backup(name: str) -> bool:
    """Whether the file at this path, relative to Lull's data folder, is part of a backup. Hidden
    files never are: they are unfinished writes, or not Lull's.
    """
    if not is_plain(name):
        return False
    first, *more = name.split("/")
    if not more:
        return first in FILES
    return first in FOLDERS and not (first == "runs" and more[1:2] == [CHECKPOINTS])


def replaced_by_restore(name: str) -> bool:
    """Whether this file or folder of Lull's data folder is moved aside when a backup is restored,
    so that the backup's own takes its place.
    """
    return _SWAPPED.fullmatch(name) is not None


# The manifest


def manifest_text(manifest: Manifest) -> str:
    """Return the JSON text of a backup's manifest, which `read_manifest` parses."""
    return json.dumps({"format": FORMAT, **asdict(manifest)}, indent=1) + "\n"


def read_manifest(text: str | bytes) -> Manifest:
    """Parse a backup's manifest. Raises BackupError if it is invalid or from a newer Lull."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BackupError(
            "Its list of contents (manifest) cannot be read.", hint=_ANOTHER_BACKUP
        ) from error
    if not isinstance(said, dict):
        raise BackupError("Its list of contents (manifest) cannot be read.", hint=_ANOTHER_BACKUP)
    number = said.get("format")
    if type(number) is int and number > FORMAT:
        raise BackupError(f"A newer Lull made it (format {number}).", hint="Update Lull.")
    try:
        return _manifest(said)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BackupError(
            "Its list of contents (manifest) was not made by Lull.", hint=_ANOTHER_BACKUP
        ) from error


def _manifest(said: Mapping[str, Any]) -> Manifest:
    if said["format"] != FORMAT:
        raise ValueError(said["format"])
    datetime.fromisoformat(said["at"])
    counts = BackupCounts(**{str(name): _whole(value) for name, value in said["counts"].items()})
    entries = {}
    for name, entry in said["entries"].items():
        if not belongs_in_backup(name):
            # Others' names are shown as what they are in Python: some would steer a terminal.
            raise BackupError(
                f"It contains {name[:80]!a}, which does not belong in a backup.",
                hint=_ANOTHER_BACKUP,
            )
        if not re.fullmatch("[0-9a-f]{64}", entry["sha256"]):
            raise ValueError(entry["sha256"])
        entries[name] = BackupEntry(size=_whole(entry["size"]), sha256=entry["sha256"])
    if DATABASE not in entries:
        raise BackupError("It holds no database.", hint=_ANOTHER_BACKUP)
    return Manifest(
        at=said["at"],
        version=str(said["version"]),
        layout=_whole(said["layout"]),
        counts=counts,
        entries=entries,
    )


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(value)
    return value


# By schedule


def by_hand_name(now: datetime) -> str:
    """Return the file name for a backup that the user asked for at this time."""
    return f"lull-{now:%Y-%m-%d-%H%M%S}.zip"


def by_schedule_name(names: Iterable[str], now: datetime) -> str:
    """Return the file name for the next scheduled backup. It contains a number above all existing
    ones, because the clock may jump and a date alone would then mislead.
    """
    newest = max((number for name in names if (number := schedule_number(name))), default=0)
    return f"lull-auto-{newest + 1:04}-{now:%Y-%m-%d}.zip"


def schedule_number(name: str) -> int:
    """Return the number in a scheduled backup's file name; 0 for any other file. Files without a
    number are never deleted by the schedule.
    """
    found = _BY_SCHEDULE.fullmatch(name)
    return int(found[1]) if found else 0


def backups_to_delete(names: Iterable[str], keep: int) -> list[str]:
    """Return the names of scheduled backups that are to be deleted because there are more than
    `keep`, oldest first. The newest is always kept.
    """
    made = sorted((name for name in names if schedule_number(name)), key=schedule_number)
    return made[: max(0, len(made) - max(1, keep))]


def is_due(last: datetime | None, now: datetime, every_days: int) -> bool:
    """Whether a scheduled backup is due. It also is if the last backup is dated more than a day in
    the future, because then a clock was wrong.
    """
    if last is None:
        return True
    return now - last >= timedelta(days=every_days) or last - now > timedelta(days=1)


def counts_in_words(counts: BackupCounts) -> str:
    """Return a backup's counts in words: "12 turns in 3 conversations, 2 skills and 1 adapter"."""
    parts = [
        _some(counts.turns, "turn") + " in " + _some(counts.conversations, "conversation"),
        _some(counts.skills, "skill"),
        _some(counts.adapters, "adapter"),
    ]
    return _listed(parts)


def _some(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + f" and {parts[-1]}"
