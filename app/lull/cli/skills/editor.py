"""Opens a text in the user's editor: $VISUAL, $EDITOR, or one that is installed.

The text is in a private folder in Lull's own, which is removed afterwards; where this process is
killed meanwhile, the next edit, forgetting, backup or start removes it.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from lull.core.errors import LullError, UsageError
from lull.service.process.lock import alive
from lull.store.backups.parts import work_folder

SKILL_FILE = "SKILL.md"
_USUAL = ("nano", "vim", "vi")


class EditorFailed(LullError):
    title: ClassVar[str] = "The editor failed"


def edit_text(text: str, home: Path) -> str | None:
    """Open a text in the user's editor, as a file in Lull's data folder `home`; return the edited
    text, None if unchanged.

    Raises EditorFailed, UsageError.
    """
    words = _editor()
    with work_folder(home, "editing", alive) as folder:
        file = folder / SKILL_FILE
        file.write_text(text, encoding="utf-8", newline="")
        try:
            with _interrupts_are_the_editors():
                code = subprocess.run([*words, str(file)], check=False).returncode
            after = file.read_bytes().decode()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "what it wrote is not UTF-8"
            raise EditorFailed(
                f"{' '.join(words)}: {reason}.", hint="Set EDITOR to one that works."
            ) from error
    if code != 0:
        raise EditorFailed(
            f"{' '.join(words)} ended with {code}.", hint="Nothing was changed; try again."
        )
    return None if after == text else after


def _editor() -> list[str]:
    told = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        words = shlex.split(told)
    except ValueError as error:
        raise UsageError(f"EDITOR is {told[:80]!r}: {error}.", hint="Set it anew.") from error
    if words:
        return words
    there = next((name for name in _USUAL if shutil.which(name)), None)
    if there is None:
        raise UsageError(
            "No editor is known.", hint="Set EDITOR, or give --description and --body."
        )
    return [there]


@contextlib.contextmanager
def _interrupts_are_the_editors() -> Iterator[None]:
    """Context manager that leaves Ctrl-C to the editor. SIGINT gets an empty handler, since a child
    would inherit SIG_IGN.
    """
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
