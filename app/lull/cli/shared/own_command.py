"""Builds `lull` command lines that can be pasted into another terminal."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from lull.config.paths import Paths

SAMPLE: Final = "Give me three ideas for a rainy Sunday."
"""A prompt that the built-in model can answer, for the sample command that is shown to users."""
_COMMAND: Final = re.compile(r"`lull(?=[ `])")


def ask_line(command: str) -> str:
    """Return a `lull ask` command line that gets an answer from the built-in model."""
    return f"{command} ask --model lull-mini {shlex.quote(SAMPLE)}"


def own_command(paths: Paths, environ: Mapping[str, str]) -> str:
    """Return the command that runs this installation of Lull: `lull` or its full path, with --home
    (the data folder) if needed.
    """
    bare = {name: value for name, value in environ.items() if name != "LULL_HOME"}
    return shlex.join([*_program(environ), *home_words(paths, bare)])


def home_words(paths: Paths, environ: Mapping[str, str]) -> list[str]:
    """Return the words `--home` and the data folder for a command line, or none if the environment
    selects that folder anyway.
    """
    anyway = Paths.from_environment(environ, sys.platform).home
    return [] if paths.home == anyway else ["--home", str(paths.home)]


def as_called(text: str, program: str, environ: Mapping[str, str]) -> str:
    """Replace `lull` in the commands that a text names by the path under which this program was
    called, such as .venv/bin/lull.

    The text is unchanged when `lull` on the PATH is this program.
    """
    path = Path(program)
    if "`lull" not in text or path.name != "lull":
        return text
    found = shutil.which("lull", path=environ.get("PATH"))
    if found and path.exists() and Path(found).samefile(path):
        return text
    return _COMMAND.sub(lambda _: f"`{shlex.quote(program)}", text)


def _program(environ: Mapping[str, str]) -> list[str]:
    # pip puts the script beside the interpreter; in a frozen app it is this program.
    beside = Path(sys.executable).with_name("lull")
    if not beside.is_file():
        return [sys.executable, "-m", "lull.cli.main"]
    found = shutil.which("lull", path=environ.get("PATH"))
    return ["lull"] if found and Path(found).samefile(beside) else [str(beside)]
