"""One key of a person at a terminal, without Enter."""

from __future__ import annotations

import os
import sys

from lull.cli.showing import ask

CTRL_C, CTRL_D = "\x03", "\x04"


def pressed(prompt: str) -> str | None:
    """The next key in small letters; None when the input has ended. What was typed before the
    prompt stood there does not count: nobody picks what they have not seen.

    Where a terminal cannot give single keys, a line is read.
    """
    try:
        import termios
        import tty
    except ImportError:  # Windows
        line = ask(prompt)
        return None if line is None else line.lower()[:1]
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle)
        termios.tcflush(handle, termios.TCIFLUSH)
        print(prompt, end="", flush=True)
        # Not through sys.stdin, which may hold back more than was asked for.
        key = os.read(handle, 1).decode(errors="replace")
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
    print(key if key.isprintable() else "")
    if key == CTRL_C:
        raise KeyboardInterrupt
    return None if key in ("", CTRL_D) else key.lower()
