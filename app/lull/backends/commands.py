"""What another program prints, within a time limit, or why there is nothing.

For questions that a system answers through its own tools only. They are run without a shell, in
English, and ended when they take too long.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence

from lull.core.idle_signals import Known, Reading, Unknown

Ask = Callable[[Sequence[str]], Reading[str]]
"""A command and its arguments; its standard output."""

WITHIN_S = 3.0


def asking(environ: Mapping[str, str], *, within_s: float = WITHIN_S) -> Ask:
    """`environ` is what the programs get, all of it."""
    surroundings = {**environ, "LC_ALL": "C"}

    def ask(command: Sequence[str]) -> Reading[str]:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=surroundings,
                timeout=within_s,
                check=False,
            )
        except FileNotFoundError:
            return Unknown(f"{command[0]} is not installed here")
        except subprocess.TimeoutExpired:
            return Unknown(f"{command[0]} does not answer")
        except OSError as error:
            return Unknown(f"{command[0]} cannot be run: {error.strerror or error}")
        if done.returncode != 0:
            return Unknown(f"{command[0]} fails: {_last_line(done.stderr)}")
        return Known(done.stdout.decode("utf-8", "replace"))

    return ask


def _last_line(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip() if lines else "it does not say why"
