"""Parses the benchmark's check commands into assertions; no command is ever executed.

A string is a chain of `python scripts/NAME.py ARGS` and `python -c "…"`, joined by `&&`; an
argument may be `$(python -c "…")`. Scripts become the checks of checkers.py; inline Python is read
by the small interpreter of inline.py. Whatever else a string holds is refused, never guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.metaclaw_bench.checks import checkers
from bench.metaclaw_bench.checks.inline import Inline, Unreadable, parse

SCRIPTS = frozenset(checkers.SCRIPTS)
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<and>&&)
    | \$\(\s*python3?\s+-c\s+"(?P<inner>(?:[^"\\]|\\.)*)"\s*\)
    | "(?P<quoted>(?:[^"\\]|\\.)*)"
    | '(?P<single>[^']*)'
    | (?P<word>[^\s"'$`;|&<>()]+)
    )""",
    re.VERBOSE,
)


class NotACheck(ValueError):
    """Raised for a command string that is no supported check; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """One condition that the files in a workspace must meet."""

    script: str
    """Name of a check in `checkers.SCRIPTS`; "" for inline Python."""
    words: tuple[str | Inline, ...] = ()
    """The check's arguments; an `Inline` is replaced by what it prints."""
    inline: Inline | None = field(default=None, repr=False)

    def failures(self, workspace: Path) -> list[str]:
        """Return descriptions of what is wrong in the workspace; never raises."""
        if self.inline is not None:
            code = self.inline.exit_code(workspace)
            return [] if code == 0 else ["the files that were asked for are not there"]
        words: list[str] = []
        for word in self.words:
            if isinstance(word, str):
                words.append(word)
            else:
                words += word.printed(workspace).split()
        return checkers.run(self.script, words, workspace)

    @property
    def path(self) -> str:
        """The path that the check names as its first argument; "" if there is none."""
        first = next((word for word in self.words if isinstance(word, str)), "")
        return "" if first.startswith("--") else first

    @property
    def least(self) -> int:
        """The number given by `--min-entries` or `--min-count`."""
        words = [word if isinstance(word, str) else "" for word in self.words]
        for option in ("--min-entries", "--min-count"):
            if option in words[:-1]:
                return int(words[words.index(option) + 1])
        return 1

    def option(self, name: str) -> str:
        words = [word if isinstance(word, str) else "" for word in self.words]
        return words[words.index(name) + 1] if name in words[:-1] else ""


def read_command(command: str) -> tuple[Assertion, ...]:
    """Parse a check command into its assertions. Raises NotACheck."""
    parts: list[list[str | Inline]] = [[]]
    for token in _tokens(command):
        if token is None:
            parts.append([])
        else:
            parts[-1].append(token)
    return tuple(_assertion(part) for part in parts)


def _tokens(command: str) -> Iterator[str | Inline | None]:
    """Split a command into its words; None stands for `&&`."""
    at, text = 0, command.strip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or found.end() == at:
            raise NotACheck(f"{text[at : at + 20]!r}")
        at = found.end()
        if found["and"]:
            yield None
        elif found["inner"] is not None:
            yield _inline(found["inner"])
        elif found["quoted"] is not None:
            yield _unescaped(found["quoted"])
        else:
            yield found["single"] if found["single"] is not None else found["word"]


def _assertion(words: Sequence[str | Inline]) -> Assertion:
    head = [word if isinstance(word, str) else "" for word in words[:2]]
    if len(words) < 2 or head[0] not in ("python", "python3"):
        raise NotACheck(f"a step that begins with {head[:1]}")
    if head[1] == "-c":
        if len(words) != 3 or not isinstance(words[2], str):
            raise NotACheck("inline Python with arguments")
        return Assertion(script="", inline=_parsed(words[2]))
    name = head[1].rpartition("/")[2].removesuffix(".py")
    if name not in SCRIPTS:
        raise NotACheck(f"the script {head[1]}")
    return Assertion(script=name, words=tuple(words[2:]))


def _inline(quoted: str) -> Inline:
    return _parsed(_unescaped(quoted))


def _parsed(source: str) -> Inline:
    try:
        return parse(source)
    except Unreadable as error:
        raise NotACheck(str(error)) from None


def _unescaped(text: str) -> str:
    """Remove backslash escapes as a shell does between double quotes."""
    return re.sub(r'\\(["\\$`])', r"\1", text)
