"""Runs a system command with a timeout and returns its output, or why there is none.

Commands run without a shell and in the C locale.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence

from lull.core.idle.signals import Known, Reading, Unknown

Ask = Callable[[Sequence[str]], Reading[str]]
"""Type of functions that run a command with arguments and return its standard output."""

TIMEOUT_S = 3.0
"""Timeout of a system command in seconds."""


def command_runner(environ: Mapping[str, str], *, within_s: float = TIMEOUT_S) -> Ask:
    """Return a function that runs a system command with this environment in the C locale, and
    returns its output.

    The output is Unknown, with the reason, if the command fails or takes longer than `within_s`.
    """
    full_environ = {**environ, "LC_ALL": "C"}

    def ask(command: Sequence[str]) -> Reading[str]:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=full_environ,
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
            return Unknown(f"running {command[0]} failed: {_last_line(done.stderr)}")
        return Known(done.stdout.decode("utf-8", "replace"))

    return ask


def _last_line(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip() if lines else "it does not say why"
