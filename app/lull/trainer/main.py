"""The trainer process, which trains one run folder (spec and examples): `python -m
lull.trainer.main RUN`.

It reads and writes only the run folder, and prints its events on standard output, one JSON object
per line. It may be killed at any moment; when restarted it continues from the last finished step.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Final

from lull.core.errors import LullError, TrainingError
from lull.core.training.events import RunFailed, RunRefused
from lull.trainer.blas import prepare

_NICENESS = 10
"""Niceness of the process: other processes get the processor first."""


def main(argv: Sequence[str] | None = None) -> int:
    """Train the run folder given on the command line; return the exit code: 0 on success, 1 on
    failure or if memory does not suffice.
    """
    parser = argparse.ArgumentParser(prog="lull trainer", description="Train a run folder.")
    parser.add_argument("run", type=Path, help="a folder with spec.json and batch.jsonl")
    folder = parser.parse_args(argv).run.absolute()
    sys.excepthook = _log_crash
    os.nice(_NICENESS)
    prepare()
    # Imported late: MLX picks its BLAS when it is loaded.
    from lull.trainer.adapter_files import leads_nowhere
    from lull.trainer.journal import RunJournal
    from lull.trainer.policy import UnreadableModel, UnreadableParent
    from lull.trainer.run import AnotherTrainer, train
    from lull.trainer.world import ProcessRing

    journal = RunJournal(folder)
    try:
        if not folder.is_dir() and not leads_nowhere(folder):
            raise TrainingError(f"There is no folder {folder}.", hint="Look for its name again.")
        event = train(folder, ProcessRing.connect(), journal)
    except OSError as error:
        if error.errno == errno.ENOMEM:  # no room in memory, not on the disk
            raise MemoryError().with_traceback(error.__traceback__) from error
        journal.print_only(_cannot_write(folder, error))  # not into the folder, which failed
        return 1
    except (AnotherTrainer, UnreadableModel, UnreadableParent) as error:
        # Not into the journal, which the other one writes, and where no run has ended.
        counts = not isinstance(error, AnotherTrainer)
        journal.print_only(replace(_failed(error), for_now=True, counts=counts))
        return 1
    except LullError as error:
        failed = _failed(error)
        journal.record(failed) if folder.is_dir() else journal.print_only(failed)
        return 1
    return 1 if isinstance(event, RunRefused) else 0


def _failed(error: LullError) -> RunFailed:
    return RunFailed(title=error.title, detail=error.detail, hint=error.hint)


_ROOM: Final = "Make room there; the run goes on from its last checkpoint."
_READ: Final = "Look whether Lull may read and write there; the run is tried again later."


def _cannot_write(folder: Path, error: OSError) -> RunFailed:
    where = error.filename or folder
    return RunFailed(
        title=TrainingError.title,
        detail=f"{where} cannot be read or written: {error.strerror or 'unknown fault'}.",
        hint=_ROOM if error.errno in (errno.ENOSPC, errno.EDQUOT) else _READ,
        for_now=True,
    )


def _log_crash(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print the crash's location in one line, without the error text: it may quote a prompt."""
    frames = traceback.extract_tb(trace)[-6:]
    where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
    print(f"{kind.__name__} at {where}", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
