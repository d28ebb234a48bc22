"""The trainer's process: `python -m lull.trainer.main RUN`.

It reads and writes the run folder and nothing else, and says on standard output what it does, one
JSON object a line. It may be stopped and killed at any moment: started again it goes on from the
last step that was finished. Who starts it, and when, is none of its business.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from lull.core.errors import LullError, TrainingError
from lull.core.training_events import Failed, Refused
from lull.trainer.blas import prepare

_POLITE = 10
"""Whoever else wants the processor comes first."""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="lull trainer", description="Train a run folder.")
    parser.add_argument("run", type=Path, help="a folder with spec.json and batch.jsonl")
    folder = parser.parse_args(argv).run.absolute()
    sys.excepthook = _log_crash
    os.nice(_POLITE)
    prepare()
    # Only now: MLX picks its BLAS when it is loaded.
    from lull.trainer.journal import Journal
    from lull.trainer.run import train
    from lull.trainer.world import World

    journal = Journal(folder)
    try:
        if not folder.is_dir():
            raise TrainingError(f"There is no folder {folder}.", hint="Look for its name again.")
        event = train(folder, World.joined(), journal)
    except OSError as error:
        journal.tell(_cannot_write(folder, error))  # and not into the folder
        return 1
    except LullError as error:
        failed = Failed(title=error.title, detail=error.detail, hint=error.hint)
        journal.say(failed) if folder.is_dir() else journal.tell(failed)
        return 1
    return 1 if isinstance(event, Refused) else 0


def _cannot_write(folder: Path, error: OSError) -> Failed:
    where = error.filename or folder
    return Failed(
        title=TrainingError.title,
        detail=f"{where} cannot be read or written: {error.strerror or 'unknown fault'}.",
        hint="Make room there; the run goes on from its last checkpoint.",
        for_now=True,
    )


def _log_crash(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Where it broke, in one line. The error's text is left out: it may quote a prompt."""
    frames = traceback.extract_tb(trace)[-6:]
    where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(frames))
    print(f"{kind.__name__} at {where}", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
