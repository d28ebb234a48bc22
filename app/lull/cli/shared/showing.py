"""Shows untrusted text on a terminal, with hidden characters made visible: ⟨U+202E⟩.

It is used where the user has to judge a text. Tables use `plain` in `context.py` instead, which
replaces such characters without saying which they are.
"""

from __future__ import annotations

import os
import sys
import unicodedata

from lull.core.text.unicode_safety import hidden_characters

_NEVER_AS_THEY_ARE = frozenset({"Cc", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that are never printed as they are: control, surrogate, private use,
unassigned, line and paragraph separator.
"""


def reveal_hidden(text: str) -> str:
    """Replace hidden characters in a text by their code points, such as ⟨U+202E⟩; line feeds and
    tabs stay.
    """
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
    """Whether stdin and stdout are terminals, so that the user can be asked something."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def ask(prompt: str) -> str | None:
    """Print a prompt and return the line that the user types, or None at the end of the input."""
    print(prompt, end="", flush=True)
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"
    return line.strip() if line else None


class Paint:
    """Terminal colours, off unless stdout is a terminal; respects https://no-color.org."""

    def __init__(self, *, on: bool) -> None:
        self._on = on

    @classmethod
    def for_stdout(cls) -> Paint:
        """Choose colours for stdout: none if it is not a terminal or NO_COLOR is set."""
        tty = sys.stdout is not None and sys.stdout.isatty()
        return cls(on=tty and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")

    def _with(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._on and text else text

    def bold(self, text: str) -> str:
        """Set a text in bold."""
        return self._with("1", text)

    def faint(self, text: str) -> str:
        """Set a text in faint letters, for what matters less."""
        return self._with("2", text)

    def good(self, text: str) -> str:
        """Set a text in green, for a success."""
        return self._with("32", text)

    def bad(self, text: str) -> str:
        """Set a text in red, for a failure."""
        return self._with("31", text)

    def place(self, text: str) -> str:
        """Set a text in cyan, for an address or a path."""
        return self._with("36", text)

    def warning(self, text: str) -> str:
        """Set a text in yellow, for a warning."""
        return self._with("33", text)

    def diff(self, text: str) -> str:
        """Colour a unified diff for the terminal; only a line's first character sets its colour."""
        lines = reveal_hidden(text).split("\n")
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
