"""What `lull doctor` looks at, part by part; each check says what is wrong and what to do.

`serious` is a part of Lull's own that does not work; the rest is worth knowing, and the doctor
does not fail for it.
"""

from __future__ import annotations

import asyncio
import ctypes.util
import platform
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lull import __version__
from lull.config.files import read
from lull.core.errors import LullError
from lull.core.messages import Sampling
from lull.core.ports import Engine, GenerateRequest, SecretStore
from lull.core.skill import Library, SkillStatus
from lull.store.database import Database
from lull.store.skill_folders import SkillFolders, Unreadable
from lull.store.trajectories import Trajectories

Json = dict[str, Any]

FREE_MB = 500
"""Below this a night's records may not fit."""
ANSWER_WITHIN_S = 90.0
"""A cold engine on a busy machine loads in a few seconds; past this something is wrong."""


def check(name: str, *, ok: bool, text: str, hint: str = "", serious: bool = True) -> Json:
    return {"name": name, "ok": ok, "text": text, "hint": hint, "serious": serious and not ok}


def tried(name: str, look: Callable[[], str], *, serious: bool = True) -> Json:
    """`look` says what is there, or raises what is wrong."""
    try:
        return check(name, ok=True, text=look())
    except LullError as error:
        return check(name, ok=False, text=error.detail, hint=error.hint, serious=serious)
    except OSError as error:
        text = f"{error.filename}: {error.strerror}."
        return check(name, ok=False, text=text, hint="Check who may use it.", serious=serious)


def runtime() -> str:
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"Lull {__version__} on {system}"


def settings(path: Path) -> str:
    read(path)
    return f"{path} is in order." if path.exists() else "All are defaults."


def store(database: Database, trajectories: Trajectories) -> str:
    """Begins a write and reads the whole file once. Raises StoreError."""
    database.flush()
    (verdict,) = database.read(lambda c: c.execute("PRAGMA quick_check(1)").fetchone())
    if verdict != "ok":
        raise LullError(
            f"{database.path} is damaged: {verdict}.",
            hint="Start Lull again: it keeps the file aside and begins a new one.",
        )
    if database.dropped:
        raise LullError(
            f"{database.dropped} records were lost.", hint="Is the disk full or too slow?"
        )
    conversations, turns = trajectories.counts()
    size_mb = database.size_bytes() / 1e6
    return f"{conversations} conversations, {turns} turns, {size_mb:.1f} MB in {database.path}."


def skills(folders: SkillFolders, library: Library) -> str:
    """Raises the first of the complaints about the folders."""
    wrong = [item.error for item in folders.found() if isinstance(item, Unreadable)]
    if wrong:
        more = f" And {len(wrong) - 1} more." if len(wrong) > 1 else ""
        raise LullError(wrong[0].detail + more, hint=wrong[0].hint)
    active = sum(s.status is SkillStatus.ACTIVE for s in library.skills.values())
    return f"{active} active, generation {library.generation}, in {folders.working}."


async def engine(built_in: Engine) -> Json:
    """Have the built-in model say one token: nothing less proves that it can."""
    asked = GenerateRequest(prompt="a", sampling=Sampling(temperature=0.0, max_tokens=1))
    try:
        async with asyncio.timeout(ANSWER_WITHIN_S):
            async for _ in built_in.generate(asked):
                pass
            status = await built_in.status()
    except LullError as error:
        return check("engine", ok=False, text=error.detail, hint=error.hint)
    except TimeoutError:
        text = f"The built-in model did not answer within {ANSWER_WITHIN_S:g} s."
        return check("engine", ok=False, text=text, hint="`lull logs` may say why.")
    text = f"The built-in model answers; {status.parameters} parameters, {status.memory_mb:.0f} MB."
    return check("engine", ok=True, text=text)


def ollama(address: str, *, ok: bool, version: str, models: int) -> Json:
    if not ok:
        text = f"Ollama does not answer at {address}."
        hint = "Start it with `ollama serve`, or set upstream.address."
        return check("ollama", ok=False, text=text, hint=hint, serious=False)
    text = f"Ollama {version} at {address} has {models} models."
    hint = "" if models else "Get one with `ollama pull`; until then there is 'pocket'."
    return check("ollama", ok=True, text=text, hint=hint)


def exams(roles: Json) -> Json:
    """Who reads, judges and writes for Lull, and why nobody does. Never serious: Lull learns from
    the user's own words without them."""
    words = [f"{role}: {one['model'] or 'no model'} ({one['why']})" for role, one in roles.items()]
    return check(
        "exams", ok=True, text=" ".join(words), hint="`lull model exams` shows the results."
    )


def reader(found: Callable[[], str], waiting: int) -> str:
    """`found` says the reader's name, or raises what it lacks."""
    wait = (
        f"{waiting} message{'' if waiting == 1 else 's'} to read" if waiting else "nothing to read"
    )
    return f"{found()} hears what you say about answers; {wait}."


def keychain(store: SecretStore, problem: LullError | None) -> str:
    """Raises the problem."""
    if problem is not None:
        raise problem
    return f"Secrets are kept in the {store.kind}."


def disk(home: Path) -> str:
    """Raises LullError when it is nearly full."""
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    free_mb = shutil.disk_usage(there).free / 1e6
    text = f"{free_mb / 1000:.1f} GB free at {home}."
    if free_mb < FREE_MB:
        raise LullError(text, hint="Free some space, or set records.keep_mb lower.")
    return text


def speed() -> Json:
    """On Linux the built-in engine computes with OpenBLAS where there is one."""
    if not sys.platform.startswith("linux") or ctypes.util.find_library("openblas"):
        return check("speed", ok=True, text="The built-in engine computes at full speed.")
    return check(
        "speed",
        ok=False,
        text="OpenBLAS is not installed: the built-in engine is many times slower without it.",
        hint="On Debian: apt-get install libopenblas0-pthread",
        serious=False,
    )
