"""`lull backup` and `lull restore`: write all of Lull's data to one file, and bring the data back
from such a file.

The running service makes a backup, or the command if no service runs. A restore is always made by
the command, which meanwhile holds the lock of Lull's data folder, so that no service can start.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from lull.backends.system.clock import SystemClock
from lull.cli.shared.context import Context, progress, short_time
from lull.cli.shared.control import Control, find_service
from lull.config.files import read
from lull.config.paths import Paths
from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.backups.backup import LEFT_OUT, BackupCounts, Manifest, counts_in_words
from lull.core.errors import AlreadyRunning, Busy, LullError, UsageError
from lull.service.process.lock import ServiceLock, alive

_TOLD_EVERY_MB = 50
_ASK_PROGRESS_EVERY_S = 2.0


def backup(context: Context) -> None:
    """Run `lull backup`: make a backup file of all that Lull keeps."""
    file = context.options.file or ""
    wanted = str(Path(file).absolute()) if file else ""
    context.print_result(_made(context, wanted), _backup_words)


def _made(context: Context, wanted: str) -> Json:
    from lull.service.backups.backups import make_on_request

    paths = context.paths
    if find_service(paths) is not None:
        return _by_the_service(paths, wanted)
    try:
        with _alone(paths):
            settings = read(paths.settings).backup
            return make_on_request(
                paths.home, settings, wanted, now=SystemClock().now(), tell=_teller()
            )
    except AlreadyRunning:  # it has just started
        return _by_the_service(paths, wanted)


def _by_the_service(paths: Paths, wanted: str) -> Json:
    done = threading.Event()
    if sys.stderr is not None and sys.stderr.isatty():
        threading.Thread(target=_follow, args=(paths, done), daemon=True).start()
    try:
        return Control(paths).post(routes.BACKUP, {"file": wanted}, patience_s=None)
    finally:
        done.set()


def _follow(paths: Paths, done: threading.Event) -> None:
    tell = _teller()
    with suppress(LullError):  # said where the answer is waited for
        while not done.wait(_ASK_PROGRESS_EVERY_S):
            if there := Control(paths).get(routes.BACKUP)["under_way"]:
                tell(there["part"], there["done"], there["of"])


def _teller() -> Callable[[str, int, int], None]:
    """Return a callback that prints a backup's progress for each part and every 50 MB."""
    told: list[tuple[str, int]] = [("", -1)]

    def tell(part: str, done: int, of: int) -> None:
        step = done // (_TOLD_EVERY_MB * 1_000_000)
        if told[-1] != (part, step):
            told[:] = [(part, step)]
            progress(f"lull: {part}: {done / 1e6:,.0f} of {of / 1e6:,.0f} MB")

    return tell


def _backup_words(made: Json) -> str:
    holds = counts_in_words(BackupCounts(**made["holds"]))
    lines = [
        f"{made['file']}, {made['bytes'] / 1e6:,.1f} MB: {holds}.",
        "It was unpacked and opened to try it out, and is whole.",
        f"Not in it: {', '.join(made['left_out'])}.",
    ]
    if made["odd"]:
        more = f" and {len(made['odd']) - 3} more" if len(made["odd"]) > 3 else ""
        what = "Links, odd names and files of skills with a secret in them"
        lines.append(f"{what}, not in it: {', '.join(made['odd'][:3])}{more}.")
    if damaged := made.get("damaged"):
        more = f" and {len(damaged) - 3} more" if len(damaged) > 3 else ""
        lines.append(
            f"Damaged or gone in the home, too: {', '.join(damaged[:3])}{more}. An earlier backup "
            "may have it whole."
        )
    return "\n".join(lines)


# Bringing back


def restore(context: Context) -> None:
    """Run `lull restore`: put a backup's files in the place of Lull's, or take that back."""
    from lull.store.backups import restoring

    options, paths = context.options, context.paths
    if bool(options.file) == options.undo:
        raise UsageError("Name a file, or --undo.", hint="`lull restore --help` tells more.")
    if options.undo and not options.yes:
        raise UsageError("`lull restore --undo` changes what is kept.", hint="Add --yes to do it.")
    with _alone(paths):
        if options.undo:
            stood = restoring.undo(paths.home)
            context.print_result(
                {"done": True, "undone": True, "before": str(stood or "")}, _undone_words
            )
            return
        file, tell = Path(options.file).absolute(), _teller()
        if not options.yes:
            manifest = restoring.verify_backup(paths.home, file, alive=alive, tell=tell)
            context.print_result(_view(file, manifest, None, done=False), _restore_words)
            return
        at = datetime.now().astimezone().isoformat()
        manifest, before = restoring.restore(paths.home, file, at=at, alive=alive, tell=tell)
        context.print_result(_view(file, manifest, before, done=True), _restore_words)


def finish_restore(paths: Paths) -> None:
    """Finish a `lull restore` that was interrupted; called before anything else reads Lull's data
    folder.
    """
    from lull.store.backups import restoring

    try:
        with _alone(paths):
            if restoring.finish(paths.home):
                progress("lull: a restore that was cut off has been ended")
    except Busy as error:
        raise Busy(
            f"A backup is being brought back into {paths.home}.", hint="Try again in a moment."
        ) from error


@contextmanager
def _alone(paths: Paths) -> Iterator[None]:
    """Hold the lock of Lull's data folder. Raises AlreadyRunning if a service runs, Busy if another
    command holds the lock.
    """
    paths.prepare()
    lock = ServiceLock(paths.lock)
    lock.take(discovery=paths.discovery)
    try:
        # Left by a service that was killed: beside our lock it would look as if that one ran.
        paths.discovery.unlink(missing_ok=True)
        yield
    finally:
        lock.release()


def _view(file: Path, manifest: Manifest, before: Path | None, *, done: bool) -> Json:
    return {
        "done": done,
        "file": str(file),
        "at": manifest.at,
        "version": manifest.version,
        "holds": asdict(manifest.counts),
        "files": len(manifest.entries),
        "not_back": list(LEFT_OUT),
        "before": str(before) if before is not None else None,
    }


def _restore_words(view: Json) -> str:
    holds = BackupCounts(**view["holds"])
    what = f"{counts_in_words(holds)}, as of {short_time(view['at'])}"
    if not view["done"]:
        return (
            f"The file is whole: {what}.\n"
            "Nothing was changed; `--yes` puts it in the place of what stands now, which is kept."
        )
    lines = [
        f"Back: {what}; the settings with them.",
        f"Not in a backup: {', '.join(view['not_back'])}. Those of this machine stay as they are,"
        " but for the checkpoints.",
    ]
    if holds.calendars:
        calendars = "calendar" if holds.calendars == 1 else "calendars"
        lines.append(
            f"{holds.calendars} {calendars}: on another machine, add the address again"
            " (`lull calendar add`)."
        )
    if view["before"]:
        lines.append(
            f"What stood before lies in {view['before']}; `lull restore --undo --yes` brings it"
            " back. Delete that folder when you need it no more."
        )
    return "\n".join(lines)


def _undone_words(view: Json) -> str:
    kept = f" What that had brought lies in {view['before']}." if view["before"] else ""
    return f"As before the last restore.{kept}"
