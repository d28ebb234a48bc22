"""The child process that parses a calendar (`lull read-calendar`).

It handles one feed under memory and time limits. Standard input: one line of JSON `{"from_s",
"to_s", "until_s"}` (the time span in seconds since 1970, and the deadline on the system-wide
monotonic clock), then the calendar's bytes. Standard output: `{"busy": [[from_s, to_s]], "dropped":
[[what, why, n]], "faults": [[library error and place, n]], "peak_mb"}`, or `{"refused": "empty" |
"page" | "no-calendar"}` for input that is no calendar ("page" is an HTML page). `dropped` counts
the parts that were left out, by kind and reason. No other content of the calendar leaves the
process, and nothing is written to standard error.
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

from lull.config.dies_first import die_first

MEMORY_BYTES = 512 * 1024 * 1024
CPU_S = 10
_SPARE_CPU_S = 2.0
"""CPU seconds reserved for writing the answer."""
MOST_FAULTS = 5
_WATCH_EVERY_S = 0.05


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the calendar on standard input and print its events; the program of a child process
    with limits.
    """
    die_first()
    limit_myself()
    head = json.loads(sys.stdin.buffer.readline(1000))
    until_s = float(head["until_s"])
    answer = parse_calendar(
        sys.stdin.buffer.read(),
        from_s=float(head["from_s"]),
        to_s=float(head["to_s"]),
        # By the clock and by CPU time, because the system kills a process over its CPU limit.
        left_s=lambda: min(until_s - time.monotonic(), CPU_S - _SPARE_CPU_S - time.process_time()),
    )
    sys.stdout.write(json.dumps(answer))
    sys.stdout.flush()
    return 0


def parse_calendar(
    data: bytes, *, from_s: float, to_s: float, left_s: Callable[[], float]
) -> dict[str, Any]:
    """Parse a calendar and return, as JSON for the parent process, the busy times between `from_s`
    and `to_s`, or why the data is no calendar.

    `left_s` returns the remaining seconds of the time limit.
    """
    # Imported here, so that loading the libraries is limited too.
    from lull.backends.calendars.busy import busy_times
    from lull.backends.calendars.text import looks_like_a_page, split_components
    from lull.core.calendars.feeds import BusySpan

    # Half of the time for reading, the rest for expanding.
    half_s = left_s() / 2
    pieces = split_components(data, time_is_up=lambda: left_s() < half_s)
    if not pieces.is_calendar:
        page = looks_like_a_page(data)
        return {"refused": "page" if page else "no-calendar" if data.strip() else "empty"}
    del data
    span = BusySpan(
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
    """Limit this calendar-parsing process's memory, CPU time and file size, and turn off core
    dumps.
    """
    try:
        import resource
    except ImportError:  # Windows: only the parent's timeout and the size limit apply
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
            continue  # macOS rejects RLIMIT_AS; the thread below watches memory
    if sys.platform == "darwin":
        threading.Thread(target=_watch_memory, args=(peak_mb(),), daemon=True).start()


def _watch_memory(before_mb: float) -> None:
    while (peak_mb() - before_mb) * 1024 * 1024 < MEMORY_BYTES:
        time.sleep(_WATCH_EVERY_S)
    os._exit(1)


def peak_mb() -> float:
    """Return this process's peak memory in MB; 0 if the system does not report it."""
    # VmHWM, because `getrusage` may still report the parent's peak from before the exec.
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
    # No traceback on a crash: it may quote the calendar.
    sys.excepthook = lambda *_: None
    sys.exit(main())
