"""The process that works on files of weights: `python -m lull.backends.weights_child`, or
`lull work-on-weights` in a frozen app.

A process of its own, because gigabytes of arithmetic must not hold up a request, and because the
files come from outside. Standard input: one line of JSON, what to do; its end says that the parent
has gone, and then this ends too. Standard output: JSON lines, `{"done", "of"}` a few times a
second, then one `{"result"}` or `{"error": {"kind", "detail", "hint"}}`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from lull.core.errors import CannotLearn, Conflict, LullError, WeightsError
from lull.core.weight_form import WeightForm

Json = dict[str, Any]
EVERY_S: Final = 0.2
KINDS: Final = {one.__name__: one for one in (CannotLearn, WeightsError, Conflict)}


def main(argv: Sequence[str] | None = None) -> int:
    wanted = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    try:
        _say({"result": DO[wanted.pop("do")](**wanted)})
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
    from lull.backends.mlx_folder import planned

    plan = planned(Path(blob), WeightForm(form))
    return {"architecture": plan.shape.architecture.value, "n_bytes": plan.n_bytes}


def _make_folder(*, blob: str, folder: str, form: str, facts: Json) -> Json:
    from lull.backends.mlx_folder import planned, write_folder

    plan = planned(Path(blob), WeightForm(form))
    write_folder(plan, Path(folder), facts=facts, report=_reporter())
    return {}


def _merge(*, blob: str, adapter: str, out: str) -> Json:
    from lull.backends.gguf_merging import merge, merged_bytes, read_change
    from lull.backends.mlx_folder import check_room, planned

    plan, change = planned(Path(blob), WeightForm.F32), read_change(Path(adapter))
    target = Path(out)
    target.parent.mkdir(parents=True, exist_ok=True)
    # Once here, and once more in Ollama's store.
    check_room(target, 2 * merged_bytes(plan.source, plan.shape, change))
    made = merge(plan.source, plan.shape, change, target, report=_reporter())
    return {
        "path": str(made.path),
        "sha256": made.sha256,
        "n_bytes": made.n_bytes,
        "changed": made.changed,
    }


DO: Final[dict[str, Callable[..., Json]]] = {
    "look": _look,
    "make-folder": _make_folder,
    "merge": _merge,
}


def _reporter() -> Callable[[int, int], None]:
    last_s = 0.0

    def report(done: int, of: int) -> None:
        nonlocal last_s
        now_s = time.monotonic()
        if now_s - last_s >= EVERY_S or done == of:
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
