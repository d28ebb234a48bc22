"""The process that parses a calendar: `python -m lull.backends.ics_child`, or `lull read-calendar`.

It lives for one feed and may use so much memory and time and no more. Standard input: one line of
JSON `{"from_s", "to_s", "until_s"}` (seconds since 1970, and when the monotonic clock, which all
processes share, says that it must be done), then the calendar's bytes to the end. Standard output:
`{"busy": [[from_s, to_s]], "dropped": [[what, why, n]], "faults": [[what a library raised and
where, n]], "peak_mb"}`, or `{"refused": "empty", "page" or "no-calendar"}`. Nothing else of a
calendar ever leaves, and nothing is written to standard error, because it would quote strangers.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

MEMORY_BYTES = 512 * 1024 * 1024
CPU_S = 10
_SPARE_CPU_S = 2.0
"""To write down what was found."""
MOST_FAULTS = 5
_WATCH_EVERY_S = 0.05


def main(argv: Sequence[str] | None = None) -> int:
    limit_myself()
    head = json.loads(sys.stdin.buffer.readline(1000))
    until_s = float(head["until_s"])
    answer = answered(
        sys.stdin.buffer.read(),
        from_s=float(head["from_s"]),
        to_s=float(head["to_s"]),
        # Of the clock and of the processor: the system ends whoever has used that up.
        left_s=lambda: min(until_s - time.monotonic(), CPU_S - _SPARE_CPU_S - time.process_time()),
    )
    sys.stdout.write(json.dumps(answer))
    sys.stdout.flush()
    return 0


def answered(
    data: bytes, *, from_s: float, to_s: float, left_s: Callable[[], float]
) -> dict[str, Any]:
    """What the parent is told of a calendar."""
    # Only now: the libraries are to be loaded under the limits, too.
    from lull.backends.ics_busy import busy_times
    from lull.backends.ics_text import cut, looks_like_a_page
    from lull.core.feeds import Span

    # A half for reading: what was read must still be worked out.
    half_s = left_s() / 2
    pieces = cut(data, time_is_up=lambda: left_s() < half_s)
    if not pieces.is_calendar:
        page = looks_like_a_page(data)
        return {"refused": "page" if page else "no-calendar" if data.strip() else "empty"}
    del data
    span = Span(
        start=datetime.fromtimestamp(from_s, UTC),
        end=datetime.fromtimestamp(to_s, UTC),
    )
    times = busy_times(pieces, span, left_s=left_s)
    return {
        "busy": sorted(times.found),
        "dropped": [[one.what, one.why, one.n] for one in times.drops()],
        "faults": times.faults.most_common(MOST_FAULTS),
        "peak_mb": peak_mb(),
    }


def limit_myself() -> None:
    """Memory, CPU time, no files, no children, no core: whatever a library can be made to do."""
    try:
        import resource
    except ImportError:  # Windows: the parent's clock and the cap on what is read are all there is
        return
    for limit, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_S),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        try:
            _, hard = resource.getrlimit(limit)
            resource.setrlimit(limit, (most if hard < 0 else min(most, hard), hard))
        except (ValueError, OSError):
            continue  # macOS knows RLIMIT_AS and will not hear of it; the watch below does it
    if sys.platform == "darwin":
        threading.Thread(target=_watch_memory, args=(peak_mb(),), daemon=True).start()


def _watch_memory(before_mb: float) -> None:
    while (peak_mb() - before_mb) * 1024 * 1024 < MEMORY_BYTES:
        time.sleep(_WATCH_EVERY_S)
    os._exit(1)


def peak_mb() -> float:
    """The most memory this process has held; 0 where the system does not tell."""
    # The kernel's own mark: what `getrusage` says may still be the parent's, from before the exec.
    with contextlib.suppress(OSError, IndexError, ValueError):
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        return float(status.partition("VmHWM:")[2].split()[0]) / 1024
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024 / (1024 if sys.platform == "darwin" else 1)


if __name__ == "__main__":
    # A crash says nothing: a traceback may quote what somebody's calendar holds.
    sys.excepthook = lambda *_: None
    sys.exit(main())
