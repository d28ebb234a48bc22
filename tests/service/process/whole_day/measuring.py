"""Measures what a running service holds: memory, threads and descriptors of each of its processes,
and the files and bytes below its home.

Of the database the pages are told apart that hold what is kept for the user, by SQLite's own count
of the pages of each table: what is left is overhead, which may not grow. A new table counts as
overhead until it is named here.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections import Counter, defaultdict
from contextlib import closing, suppress
from pathlib import Path

import psutil

from tests.running import RunningLull

MODULES = {
    "lull.engine.reader.main": "reader",
    "lull.engine.main": "engine",
    "lull.trainer.main": "trainer",
    "lull.backends.mlx.weights_child": "weights",
    "lull.backends.retrieval.chroma_child": "chroma",
    "lull.backends.calendars.child": "calendar",
    "lull.service.proxy.long.child": "long",
    "lull.service.entry.stand_in": "stand-in",
}
"""The children of a service by the modules that they run."""
KEPT_TABLES = re.compile(
    r"""turns | trajectories | messages | words(_config|_content|_data|_docsize|_idx)? | search_rows
    | tool_sets | kept_pieces | secrets_seen | rewards | feedback | events | generations
    | skill_states | skill_folders | skill_uses | coin_flips | proposals | support | replays
    | writing_faults | decisions | births | shown_pairs | use_replays | exams | windows
    | adapters(_in_force)? | adapter_moves | gate_plans | gate_measures | adapter_learned | rollouts
    | runs | run_sources | published | row_seals | trained_adapters | proof_records""",
    re.VERBOSE,
)
"""Tables that hold what is kept for the user, or a bounded number of rows (events, windows)."""


def role(process: psutil.Process) -> str:
    words = process.cmdline()
    return next((MODULES[word] for word in words if word in MODULES), "other")


def processes(running: RunningLull) -> dict[str, float]:
    """Measure the service and its children; of several children of a kind, all together."""
    service = psutil.Process(running.process.pid)
    found: dict[str, float] = defaultdict(float)
    kinds: Counter[str] = Counter()
    for one in (service, *service.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            with one.oneshot():
                name = "service" if one is service else role(one)
                memory, threads = one.memory_info().rss, one.num_threads()
            descriptors = one.num_fds()
            found[f"memory of {name}"] += memory
            found[f"threads of {name}"] += threads
            found[f"descriptors of {name}"] += descriptors
            kinds[name] += 1
    return {**found, "children": sum(kinds.values()) - 1.0}


def files(home: Path) -> dict[str, float]:
    """Count the files and bytes below each folder of the home; the home's own are told by name."""
    found: dict[str, float] = defaultdict(float)
    for path in home.rglob("*"):
        with suppress(FileNotFoundError):
            if path.is_file():
                inner = path.relative_to(home)
                folder = inner.parts[0] if len(inner.parts) > 1 else "."
                if inner.parts[0].startswith("lull.db"):
                    folder = "database"
                found[f"files in {folder}"] += 1
                found[f"bytes in {folder}"] += path.stat().st_size
    return dict(found)


def overhead(home: Path) -> dict[str, float]:
    """Return the bytes of the database that hold nothing of the user's, free pages included, and
    those of its log of changes.
    """
    with closing(sqlite3.connect(f"file:{home / 'lull.db'}?mode=ro", uri=True)) as database:
        owners = dict(database.execute("SELECT name, tbl_name FROM sqlite_schema"))
        sizes = database.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall()
        pages, size = (
            database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
        )
    kept = sum(used for name, used in sizes if KEPT_TABLES.fullmatch(owners.get(name, "")))
    log = home / "lull.db-wal"
    return {
        "overhead": float(pages * size - kept),
        "log of changes": float(log.stat().st_size if log.exists() else 0),
    }


def settled(running: RunningLull, *, within_s: float = 8.0) -> None:
    """Wait until the service and its children rest, so that samples are of the same moment."""
    until_s = time.monotonic() + within_s
    service = psutil.Process(running.process.pid)
    while time.monotonic() < until_s:
        before_s = _cpu_s(service)
        time.sleep(1.0)
        if _cpu_s(service) - before_s < 0.25:
            return


def _cpu_s(service: psutil.Process) -> float:
    used_s = 0.0
    for one in (service, *service.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = one.cpu_times()
            used_s += times.user + times.system
    return used_s
