"""The workspace of one day: a private copy of its files, and the tools that work only in it.

A path is relative, without `..`, and no part of it is a link; what is read and written has limits.
A refusal is a text for the model, because a model that tries is no error of the bench.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST_READ = 60_000
"""Most characters of a file that a tool shows to the model."""
MOST_WRITTEN = 1_000_000
MOST_FILES = 2_000
MOST_LISTED = 500
COMMAND_S = 30.0
LONGEST_PATH = 400


class Refused(Exception):
    """Raised when a tool refuses a call; the message is shown to the model."""


def copied(folder: Path, day: str, target: Path) -> Path:
    """Copy the day's initial files, identity files included, to `target`; symlinks are left out."""
    source = folder / "workspaces"
    target.mkdir(parents=True)
    for file in sorted(source.glob("*")):
        if file.is_file() and not file.is_symlink():
            shutil.copy(file, target / file.name)
    (target / day).mkdir()
    for place, folders, files in os.walk(source / day):
        here = Path(place)
        folders[:] = [name for name in folders if not (here / name).is_symlink()]
        there = target / here.relative_to(source)
        there.mkdir(exist_ok=True)
        for name in files:
            if (here / name).is_file() and not (here / name).is_symlink():
                shutil.copy(here / name, there / name)
    return target


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    home: Path
    commands: bool = False
    """Whether the `run_command` tool is offered; its commands are not confined to the folder."""

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Run a tool and return its output; a refusal begins with "Error:"."""
        tool = self._tools.get(name)
        if tool is None:
            return f"Error: there is no tool {name!r}."
        try:
            return tool(arguments)
        except Refused as why:
            return f"Error: {why}"
        except OSError as error:
            return f"Error: {error.strerror or 'it cannot be done'}."

    @property
    def _tools(self) -> Mapping[str, Callable[[Mapping[str, Any]], str]]:
        tools = {
            "list_dir": self._list_dir,
            "read_file": self._read_file,
            "write_file": self._write_file,
            "replace_in_file": self._replace,
        }
        return {**tools, "run_command": self._run} if self.commands else tools

    def schemas(self) -> list[dict[str, Any]]:
        return [_SCHEMAS[name] for name in self._tools]

    # -- the tools ----------------------------------------------------------------------------

    def _list_dir(self, given: Mapping[str, Any]) -> str:
        folder = self._inside(str(given.get("path") or "."))
        if not folder.is_dir():
            raise Refused("there is no such folder.")
        names = sorted(f"{one.name}/" if one.is_dir() else one.name for one in folder.iterdir())
        more = [f"… and {len(names) - MOST_LISTED} more"] if len(names) > MOST_LISTED else []
        return "\n".join(names[:MOST_LISTED] + more) or "(empty)"

    def _read_file(self, given: Mapping[str, Any]) -> str:
        text = self._text(self._inside(_path(given)))
        if len(text) > MOST_READ:
            return f"{text[:MOST_READ]}\n[… {len(text) - MOST_READ} characters left out]"
        return text

    def _write_file(self, given: Mapping[str, Any]) -> str:
        content = given.get("content")
        if not isinstance(content, str):
            raise Refused("content must be a text.")
        self._write(self._inside(_path(given)), content)
        return f"{len(content)} characters written to {_path(given)}."

    def _replace(self, given: Mapping[str, Any]) -> str:
        old, new = given.get("old"), given.get("new")
        if not isinstance(old, str) or not isinstance(new, str) or not old:
            raise Refused("old and new must be texts, and old not empty.")
        file = self._inside(_path(given))
        text = self._text(file)
        if text.count(old) != 1:
            raise Refused(f"old stands {text.count(old)} times in the file; once is wanted.")
        self._write(file, text.replace(old, new))
        return f"Replaced in {_path(given)}."

    def _run(self, given: Mapping[str, Any]) -> str:
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", str(given.get("command", ""))],
                cwd=self.home,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=COMMAND_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Refused(f"it took longer than {COMMAND_S:g} s.") from None
        return f"exit code {done.returncode}\n{(done.stdout + done.stderr)[:MOST_READ]}"

    # -- the walls ----------------------------------------------------------------------------

    def _inside(self, path: str) -> Path:
        if len(path) > LONGEST_PATH or "\0" in path or "\\" in path:
            raise Refused("that is no path.")
        parts = Path(path).parts
        if path.startswith(("/", "~")) or ".." in parts:
            raise Refused("paths are relative to the workspace and stay in it.")
        at = self.home
        for part in parts:
            at = at / part
            if at.is_symlink():
                raise Refused("links are not followed.")
        return at

    def _text(self, file: Path) -> str:
        try:
            handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            raise Refused("there is no such file.") from None
        with os.fdopen(handle, "rb") as opened:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise Refused("that is no file.")
            data = opened.read(MOST_WRITTEN + 1)
        if len(data) > MOST_WRITTEN:
            raise Refused(f"the file has more than {MOST_WRITTEN} bytes.")
        return data.decode("utf-8", errors="replace")

    def _write(self, file: Path, content: str) -> None:
        data = content.encode("utf-8", errors="replace")
        if len(data) > MOST_WRITTEN:
            raise Refused(f"at most {MOST_WRITTEN} bytes are written.")
        if file == self.home or file.is_dir():
            raise Refused("that is a folder.")
        if not file.exists() and sum(1 for _ in self.home.rglob("*")) >= MOST_FILES:
            raise Refused("the workspace is full.")
        file.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(file, flags, 0o600)
        with os.fdopen(handle, "wb") as opened:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise Refused("that is no file.")
            opened.write(data)


def _path(given: Mapping[str, Any]) -> str:
    path = given.get("path")
    if not isinstance(path, str) or not path.strip():
        raise Refused("path must be a text.")
    return path


def _schema(name: str, says: str, needed: tuple[str, ...], **fields: str) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": says,
            "parameters": {
                "type": "object",
                "properties": {
                    field: {"type": "string", "description": text} for field, text in fields.items()
                },
                "required": list(needed),
            },
        },
    }


_WHERE = "Relative to the workspace, such as day01/notes.md."
_SCHEMAS = {
    "list_dir": _schema(
        "list_dir", "The names in a folder.", (), path="The folder; the workspace if left out."
    ),
    "read_file": _schema("read_file", "The text of a file.", ("path",), path=_WHERE),
    "write_file": _schema(
        "write_file",
        "Writes a file, also over an old one; folders are made.",
        ("path", "content"),
        path=_WHERE,
        content="All of its text.",
    ),
    "replace_in_file": _schema(
        "replace_in_file",
        "Replaces a text that stands exactly once in a file.",
        ("path", "old", "new"),
        path=_WHERE,
        old="What stands there.",
        new="What is to stand there.",
    ),
    "run_command": _schema(
        "run_command",
        "Runs a shell command in the workspace.",
        ("command",),
        command="The command line.",
    ),
}
