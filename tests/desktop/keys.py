"""Runs xdotool, for real keys and clicks, on the display of an environment."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping

from tests.eventually import PATIENCE_S


def xdotool(environment: Mapping[str, str], *words: str) -> str:
    """Run xdotool; return what it prints, which is nothing where it finds nothing."""
    done = subprocess.run(
        ["xdotool", *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.stdout
