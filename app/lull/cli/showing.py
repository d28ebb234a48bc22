"""Text of others on a terminal: nothing of it steers the screen, and nothing of it stays unseen.

`context.plain` serves tables; here a person is to judge a text, so each character that would not
be seen, or would change how others are seen, is named where it stands: ⟨U+202E⟩.
"""

from __future__ import annotations

import os
import sys
import unicodedata

from lull.core.characters import hidden_characters

_NEVER_AS_THEY_ARE = frozenset({"Cc", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories: controls, halves of pairs, private and unassigned ones, separators of lines."""


def revealed(text: str) -> str:
    """The text with what is hidden in it named. Line feeds and tabs stay."""
    return "\n".join(_line(line) for line in text.split("\n"))


def _line(line: str) -> str:
    if line.isascii() and line.isprintable():
        return line
    hidden = frozenset(hidden_characters(line))
    return "".join(_named(char) if _is_unseen(char, hidden) else char for char in line)


def _is_unseen(char: str, hidden: frozenset[str]) -> bool:
    if char == "\t":
        return False
    return unicodedata.category(char) in _NEVER_AS_THEY_ARE or f"U+{ord(char):04X}" in hidden


def _named(char: str) -> str:
    return f"⟨U+{ord(char):04X}⟩"


def is_terminal() -> bool:
    """A person sits there: what is asked can be answered."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def ask(prompt: str) -> str | None:
    """The line that a person types; None when the input has ended."""
    print(prompt, end="", flush=True)
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"
    return line.strip() if line else None


class Paint:
    """Colours where they are wanted: https://no-color.org."""

    def __init__(self, *, on: bool) -> None:
        self._on = on

    @classmethod
    def for_stdout(cls) -> Paint:
        tty = sys.stdout is not None and sys.stdout.isatty()
        return cls(on=tty and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")

    def _with(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._on and text else text

    def bold(self, text: str) -> str:
        return self._with("1", text)

    def faint(self, text: str) -> str:
        return self._with("2", text)

    def good(self, text: str) -> str:
        return self._with("32", text)

    def bad(self, text: str) -> str:
        return self._with("31", text)

    def place(self, text: str) -> str:
        return self._with("36", text)

    def warning(self, text: str) -> str:
        return self._with("33", text)

    def diff(self, text: str) -> str:
        """A unified diff; whatever its lines hold, only their first sign decides."""
        lines = revealed(text).split("\n")
        head = [self.bold(line) for line in lines[:2]]
        return "\n".join(head + [self._diff_line(line) for line in lines[2:]])

    def _diff_line(self, line: str) -> str:
        match line[:1]:
            case "+":
                return self.good(line)
            case "-":
                return self.bad(line)
            case "@":
                return self.place(line)
            case _:
                return line
