"""Checks for `lull doctor` whether backups of Lull's data exist and are recent enough."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from lull.config.settings import BackupSettings
from lull.contract.json_object import Json
from lull.core.backups.backup import is_due
from lull.service.answers.checks import check
from lull.service.backups.backups import existing_backups, newest


def check_backups(home: Path, settings: BackupSettings, now: datetime) -> Json:
    """Check for `lull doctor` whether backups exist and scheduled ones are made on time; return the
    JSON of this check. Blocking.
    """
    name, folder = "backups", Path(settings.folder) if settings.folder else home / "backups"
    files = existing_backups(home, (folder,))
    last = max((file.stat().st_mtime for file in files), default=None)
    said = "There is no backup."
    if last is not None:
        at = f"{datetime.fromtimestamp(last).astimezone():%Y-%m-%d %H:%M}"
        said = f"The newest of {len(files)} is from {at}."
    if not settings.every_days:
        hint = (
            ""
            if files
            else (
                "`lull backup` makes one now; “Back up every” in the settings "
                "(backup.every_days) makes them automatically."
            )
        )
        return check(name, ok=True, text=said, hint=hint)
    made = newest(folder)
    late = f"No automatic backup was made for {2 * settings.every_days} days."
    if made is not None and is_due(made, now, 2 * settings.every_days):
        hint = "It waits for a quiet moment; `lull backup` makes one now."
        return check(name, ok=False, text=f"{said} {late}", hint=hint, serious=False)
    return check(name, ok=True, text=f"{said} One is made every {settings.every_days} days.")
