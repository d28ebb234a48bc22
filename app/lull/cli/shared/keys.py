"""Reads single key presses from a terminal, without Enter."""

from __future__ import annotations

import os
import sys

from lull.cli.shared.showing import ask

CTRL_C, CTRL_D = "\x03", "\x04"


def read_key(prompt: str) -> str | None:
    """Wait for a key press and return it in lower case, or None at the end of the input.

    Keys typed before the prompt was shown are discarded. Where the terminal cannot deliver single
    keys, a whole line is read instead.
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
        # Not through sys.stdin, which may buffer more than one key.
        key = os.read(handle, 1).decode(errors="replace")
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
    print(key if key.isprintable() else "")
    if key == CTRL_C:
        raise KeyboardInterrupt
    return None if key in ("", CTRL_D) else key.lower()
