"""The child process that converts and merges weight files (`lull work-on-weights`).

It is a separate process because gigabytes of arithmetic must not block requests and the files are
untrusted. Standard input: one line of JSON with the task; at end of file the process exits.
Standard output: JSON lines, progress as `{"done", "of"}` (bytes) a few times a second, then one
`{"result"}` or `{"error": {"kind", "detail", "hint"}}`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from lull.config.dies_first import die_first
from lull.contract.json_object import Json
from lull.core.errors import CannotLearn, Conflict, LullError, WeightsError
from lull.core.models.weight_form import WeightForm

REPORT_EVERY_S: Final = 0.2
"""Seconds between progress reports of work on weight files."""
KINDS: Final = {one.__name__: one for one in (CannotLearn, WeightsError, Conflict)}
"""Error classes by the name used in the child's `error.kind`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Do the task on a model's weights that standard input names, and print its result; the program
    of a child process.
    """
    die_first()
    wanted = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    try:
        _say({"result": TASKS[wanted.pop("do")](**wanted)})
    except LullError as error:
        kind = type(error).__name__ if type(error).__name__ in KINDS else "WeightsError"
        _say({"error": {"kind": kind, "detail": error.detail, "hint": error.hint}})
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        said = {"kind": "WeightsError", "detail": f"{where}{error.strerror or error}.", "hint": ""}
        _say({"error": said})
    except MemoryError:
        said = {"kind": "WeightsError", "detail": "There is too little memory.", "hint": ""}
        _say({"error": said})
    return 0


def _look(*, blob: str, form: str) -> Json:
    from lull.backends.mlx.folder import plan_folder

    plan = plan_folder(Path(blob), WeightForm(form))
    return {"architecture": plan.shape.architecture.value, "n_bytes": plan.n_bytes}


def _make_folder(*, blob: str, folder: str, form: str, facts: Json) -> Json:
    from lull.backends.mlx.folder import plan_folder, write_folder

    plan = plan_folder(Path(blob), WeightForm(form))
    write_folder(plan, Path(folder), facts=facts, report=_reporter())
    return {}


def _merge(*, blob: str, adapter: str, out: str) -> Json:
    from lull.backends.gguf.merging import merge, merged_bytes, read_lora
    from lull.backends.mlx.folder import check_disk_space, plan_folder

    plan, change = plan_folder(Path(blob), WeightForm.F32), read_lora(Path(adapter))
    target = Path(out)
    target.parent.mkdir(parents=True, exist_ok=True)
    # One copy here and one in Ollama's store.
    check_disk_space(target, 2 * merged_bytes(plan.source, plan.shape, change))
    made = merge(plan.source, plan.shape, change, target, report=_reporter())
    return {
        "path": str(made.path),
        "sha256": made.sha256,
        "n_bytes": made.n_bytes,
        "changed": made.changed,
    }


TASKS: Final[dict[str, Callable[..., Json]]] = {
    "look": _look,
    "make-folder": _make_folder,
    "merge": _merge,
}
"""Functions of the tasks that the child can do, by the name used in the request."""


def _reporter() -> Callable[[int, int], None]:
    last_s = 0.0

    def report(done: int, of: int) -> None:
        nonlocal last_s
        now_s = time.monotonic()
        if now_s - last_s >= REPORT_EVERY_S or done == of:
            last_s = now_s
            _say({"done": done, "of": of})

    return report


def _say(what: Json) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def _end_with_the_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
