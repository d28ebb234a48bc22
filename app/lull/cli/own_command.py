"""How another terminal calls this Lull: a line to paste must work there as it stands."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from lull.config.paths import Paths

SAMPLE: Final = "write a menu for apple river"
"""What the built-in model can answer."""
_COMMAND: Final = re.compile(r"`lull(?=[ `])")


def ask_line(command: str) -> str:
    """A line that gets an answer, whatever models there are."""
    return f"{command} ask --model pocket {shlex.quote(SAMPLE)}"


def own_command(paths: Paths, environ: Mapping[str, str]) -> str:
    """`lull` where that is on the PATH, else its whole path; with --home where the other terminal
    would look elsewhere."""
    words = [*_program(environ)]
    bare = {name: value for name, value in environ.items() if name != "LULL_HOME"}
    if Paths.from_environment(bare, sys.platform).home != paths.home:
        words += ["--home", str(paths.home)]
    return shlex.join(words)


def as_called(text: str, program: str, environ: Mapping[str, str]) -> str:
    """The commands that a hint names, with the program's name as it was called (.venv/bin/lull)
    where `lull` alone would not find it, or would find another."""
    path = Path(program)
    if "`lull" not in text or path.name != "lull":
        return text
    found = shutil.which("lull", path=environ.get("PATH"))
    if found and path.exists() and Path(found).samefile(path):
        return text
    return _COMMAND.sub(lambda _: f"`{shlex.quote(program)}", text)


def _program(environ: Mapping[str, str]) -> list[str]:
    # Beside the interpreter lies the script that pip made; in a frozen app it is this program.
    beside = Path(sys.executable).with_name("lull")
    if not beside.is_file():
        return [sys.executable, "-m", "lull.cli.main"]
    found = shutil.which("lull", path=environ.get("PATH"))
    return ["lull"] if found and Path(found).samefile(beside) else [str(beside)]
