"""Implements the checks of `lull doctor`; each says what is wrong and how to fix it.

A failure is `serious` if a part of Lull does not work; the command itself fails only for these.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes.util
import functools
import platform
import shutil
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from lull import __version__
from lull.config.files import read
from lull.contract.json_object import Json
from lull.core.chat.messages import Sampling
from lull.core.errors import LullError
from lull.core.models.engine import Engine, GenerateRequest
from lull.core.ports import SecretStore
from lull.core.proof.placing import NOT_MEASURED, PlacingResult
from lull.core.skills.skill import Library, SkillStatus
from lull.core.text.coded_text import CodedText, TextSkillList, coded, coded_text, sentence
from lull.store.chat.trajectories import Trajectories
from lull.store.chat.trash_files import damage_error
from lull.store.rows.readable_rows import count_damaged_values
from lull.store.skills.skill_folders import SkillFolders, UnreadableSkill
from lull.store.sqlite.database import Database

T = TypeVar("T")

_NEEDS_TEXT = (SkillStatus.ACTIVE, SkillStatus.DISABLED)
"""Statuses of skills whose text must be intact."""
FREE_MB = 500
"""Minimum free disk space in MB, enough for one night's records."""
CHECK_WITHIN_S = 20.0
"""Timeout in seconds of each doctor check except the engine's; a healthy one takes a moment."""
ANSWER_WITHIN_S = 90.0
"""Timeout in seconds of the engine check; a cold engine on a busy machine loads within that."""


def check(name: str, *, ok: bool, text: str, hint: str = "", serious: bool = True) -> Json:
    """Build the JSON result of one of the checks of `lull doctor`. `serious` says that a failure of
    this check means that a part of Lull does not work.
    """
    serious = serious and not ok
    return {"name": name, "ok": ok, "text": text, **coded(text), "hint": hint, "serious": serious}


def run_check(name: str, look: Callable[[], str], *, serious: bool = True) -> Json:
    """Run one check of `lull doctor`, the function `look`. Return its JSON result, with the
    description that `look` returned or the error that it raised.
    """
    try:
        return check(name, ok=True, text=look())
    except LullError as error:
        return check(name, ok=False, text=error.detail, hint=error.hint, serious=serious)
    except OSError as error:
        text = f"{error.filename}: {error.strerror}."
        return check(name, ok=False, text=text, hint="Check who may use it.", serious=serious)


async def with_time_limit(
    name: str, look: Awaitable[Json], *, limit_s: float = CHECK_WITHIN_S
) -> Json:
    """Wait for a check of `lull doctor`, and return its result, or a failed result if the check
    takes longer than `limit_s`.

    This keeps a hanging check from delaying the others.
    """
    try:
        async with asyncio.timeout(limit_s):
            return await look
    except TimeoutError:
        return hangs(name, limit_s)


def hangs(name: str, limit_s: float = CHECK_WITHIN_S) -> Json:
    """Return the failed result of a check that did not end in time."""
    text = f"This check did not finish within {limit_s:g} s."
    return check(name, ok=False, text=text, hint="`lull logs` may say why.")


async def run_check_in_thread(name: str, look: Callable[[], str], *, serious: bool = True) -> Json:
    """Run a blocking check of `lull doctor` in a thread, with the time limit of a check."""
    return await with_time_limit(name, in_thread(lambda: run_check(name, look, serious=serious)))


async def in_thread(look: Callable[[], T]) -> T:
    """Run a blocking check of `lull doctor` in a daemon thread.

    If it hangs, it delays neither the process's exit nor asyncio's thread pool.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def say(value: T | None, error: BaseException | None) -> None:
        if done.done():  # nobody waits any more
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(value)  # type: ignore[arg-type]

    def run() -> None:
        value, wrong = None, None
        try:
            value = look()
        except Exception as error:  # noqa: BLE001  it is raised where it is awaited
            wrong = error
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(say, value, wrong)

    threading.Thread(target=run, name="a check", daemon=True).start()
    return await done


def platform_line() -> str:
    """Return Lull's version and this machine's platform as a line of `lull doctor`."""
    return f"Lull {__version__} on {_system()}"


def runtime(process: int) -> CodedText:
    """Return a running service's version of Lull, platform and process id as a line of `lull
    doctor`.
    """
    words = "Lull %1 on %2, process %3."
    return coded_text("service-runs", words, __version__, _system(), str(process))


def _system() -> str:
    return f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"


def settings(path: Path) -> str:
    """Check that the settings file can be read. Raises SettingsError."""
    read(path)
    return f"{path} is in order." if path.exists() else "All have their default values."


def store(database: Database, trajectories: Trajectories) -> str:
    """Check the database by writing to it and reading it in full. Raises LullError."""
    if database.worries:
        raise database.worries[0]
    database.flush()
    (verdict,) = database.read(lambda c: c.execute("PRAGMA quick_check(1)").fetchone())
    if verdict != "ok":
        raise LullError(
            f"{database.path} is damaged: {verdict}.",
            hint="Start Lull again: it keeps the file aside and begins a new one.",
        )
    if gone := database.tables_gone():
        tables = ", ".join(gone)
        raise LullError(
            f"Another program removed tables from {database.path}: {tables}.",
            hint="Stop Lull and restore the file from a backup. A start creates them again, empty.",
        )
    if damaged := database.read(count_damaged_values):
        raise LullError(
            f"{damaged} values in {database.path} are damaged; what they say of a conversation or "
            "of a score is left out.",
            hint="The rest is used as before. A backup may have them whole.",
        )
    if database.dropped:
        raise LullError(f"Records lost: {database.dropped}.", hint="Is the disk full or too slow?")
    conversations, turns = trajectories.counts()
    size_mb = database.size_bytes() / 1e6
    return f"{conversations} conversations, {turns} turns, {size_mb:.1f} MB in {database.path}."


def trash(folder: Path, broken: Sequence[Path]) -> str:
    """Check that every file in the trash (old conversations, which can be restored) can be read.
    Raises DamagedTrash if there are `broken` files.
    """
    if broken:
        raise damage_error(broken)
    count = sum(1 for _ in folder.glob("*.gz"))
    return f"Files in the trash: {count}, all intact." if count else "The trash is empty."


def skills(folders: SkillFolders, library: Library, missing: LullError | None = None) -> str:
    """Check that the files of all skills (instruction texts) are readable and as they were
    approved.

    Raises `missing`, the caller's error about lost skill files, if given; else the first problem
    found.
    """
    if missing is not None:
        raise missing
    wrong = [item.error for item in folders.working_copies() if isinstance(item, UnreadableSkill)]
    if wrong:
        more = f" And {len(wrong) - 1} more." if len(wrong) > 1 else ""
        raise LullError(wrong[0].detail + more, hint=wrong[0].hint)
    lost = sorted(s.name for s in library.skills.values() if s.status in _NEEDS_TEXT and not s.body)
    if lost:
        raise LullError(
            coded_text(
                "skills-unusable",
                "%1 cannot be used: text or record is not what was approved.",
                TextSkillList(tuple(lost)),
            ),
            hint="A backup brings it back; or write the skill again.",
        )
    active = sum(s.status is SkillStatus.ACTIVE for s in library.skills.values())
    return f"{active} active, generation {library.generation}, in {folders.working}."


async def engine(built_in: Engine) -> Json:
    """Check that Lull's own inference engine can generate one token, with the smaller built-in
    model.
    """
    asked = GenerateRequest(prompt="a", sampling=Sampling(temperature=0.0, max_tokens=1))
    try:
        async with asyncio.timeout(ANSWER_WITHIN_S):
            async for _ in built_in.generate(asked):
                pass
            status = await built_in.status()
    except LullError as error:
        return check("engine", ok=False, text=error.detail, hint=error.hint)
    except TimeoutError:
        text = f"Lull's own engine did not answer within {ANSWER_WITHIN_S:g} s."
        return check("engine", ok=False, text=text, hint="`lull logs` may say why.")
    text = f"Lull's own engine works, using {status.memory_mb:.0f} MB with its smallest model."
    return check("engine", ok=True, text=text)


def ollama(address: str, *, ok: bool, version: str, models: int) -> Json:
    """Build the JSON result of the `lull doctor` check of the user's Ollama, from what was found:
    its address, whether it answers (`ok`), its version and its number of models.
    """
    if not ok:
        text = f"Ollama does not answer at {address}."
        hint = "Start it with `ollama serve`, or set upstream.address."
        return check("ollama", ok=False, text=text, hint=hint, serious=False)
    text = f"Ollama {version} at {address}; models: {models}."
    hint = "" if models else "Get one with `ollama pull`; until then there is 'lull-mini'."
    return check("ollama", ok=True, text=text, hint=hint)


def exams(roles: Json) -> Json:
    """Build the JSON result of `lull doctor` that says which models read feedback, judge answers
    and write skills (instruction texts), and why each was chosen.

    Never a serious failure: Lull also learns without such models.
    """
    if not any(one["model"] for one in roles.values()):
        text = coded_text("exams-none", "No chat model helps Lull now; it also learns without one.")
        return check("exams", ok=True, text=text, hint="`lull model exams` says why.")
    words = [_exam(role, one["model"], one["why"]) for role, one in roles.items()]
    text = functools.reduce(lambda one, more: coded_text("exams-and", "%1 · %2", one, more), words)
    return check("exams", ok=True, text=text, hint="`lull model exams` shows the results.")


def _exam(role: str, model: str | None, reason: str) -> CodedText:
    why = sentence(reason)
    match role, model:
        case "reader", None:
            return coded_text("exam-no-reader", "reader: no model – %1", why)
        case "judge", None:
            return coded_text("exam-no-judge", "judge: no model – %1", why)
        case _, None:
            return coded_text("exam-no-writer", "skill writer: no model – %1", why)
        case "reader", _:
            return coded_text("exam-reader", "reader: %1 – %2", model, why)
        case "judge", _:
            return coded_text("exam-judge", "judge: %1 – %2", model, why)
    return coded_text("exam-writer", "skill writer: %1 – %2", str(model), why)


def placing(found: Sequence[PlacingResult]) -> Json:
    """Build the JSON result of `lull doctor` that says, for each model that the user talks to,
    where in its prompts skills (instruction texts) are put and why.
    """
    if not found:
        nothing = (
            "Skills are put in the system prompt (the instructions that a model gets before the "
            "conversation); no model has been measured yet."
        )
        return check("placing", ok=True, text=nothing)
    words = [
        coded_text("placing-of", "%1: %2", one.model, sentence(one.why or NOT_MEASURED))
        for one in found
    ]
    text = functools.reduce(
        lambda one, other: coded_text("placing-and", "%1 %2", one, other), words
    )
    return check("placing", ok=True, text=text)


def reader(found: Callable[[], str], waiting: int) -> str:
    """Check that the small reader, Lull's own model that reads users' messages for feedback, can be
    used; return a sentence with the number of messages `waiting` to be read.

    The function `found` returns the reader's name, or raises an error that says why it cannot be
    used.
    """
    wait = f"{waiting} messages to read" if waiting else "nothing to read"
    if waiting == 1:
        wait = "1 message to read"
    return f"Lull's small model {found()} reads what you say about answers; {wait}."


def keychain(store: SecretStore, problem: LullError | None) -> str:
    """Tell in a sentence where Lull keeps secrets: the system's keychain or a file.

    Raises `problem`, the error of the keychain's start-up, unless it is None.
    """
    if problem is not None:
        raise problem
    return _KEPT_IN.get(store.kind) or f"Secrets are kept in the {store.kind}."


_KEPT_IN: Final = {
    "keychain": coded_text("kept-in-keychain", "Secrets are kept in the keychain."),
    "file": coded_text("kept-in-file", "Secrets are kept in a file."),
    "memory": coded_text("kept-in-memory", "Secrets are kept in memory only."),
    "environment": coded_text("kept-in-environment", "Secrets are kept in environment variables."),
}


def disk(home: Path) -> str:
    """Check the free disk space. Raises LullError when too little is left."""
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    free_mb = shutil.disk_usage(there).free / 1e6
    text = f"{free_mb / 1000:.1f} GB free at {home}."
    if free_mb < FREE_MB:
        raise LullError(text, hint="Free some space, or set records.keep_mb lower.")
    return text


def speed() -> Json:
    """Check that on Linux the library OpenBLAS is installed, without which the built-in inference
    engine is slow.
    """
    if not sys.platform.startswith("linux") or ctypes.util.find_library("openblas"):
        return check("speed", ok=True, text="Lull's own engine runs at full speed.")
    return check(
        "speed",
        ok=False,
        text="OpenBLAS is not installed: the built-in engine is many times slower without it.",
        hint="On Debian: apt-get install libopenblas0-pthread",
        serious=False,
    )
