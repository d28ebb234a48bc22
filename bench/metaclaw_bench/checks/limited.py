"""Reads the benchmark's inline programs in a limited child: on a copy, in little time and memory.

The program is interpreted, not executed (`inline.py`); the child is there for what an interpreter
cannot bound, such as a regular expression that never comes to an end.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

CPU_S: Final = 10
PATIENCE_S: Final = 60.0
_ROOT: Final = Path(__file__).parents[3]


def limited(source: str, workspace: Path, *, cpu_s: int = CPU_S) -> tuple[int, str]:
    """Return a program's exit code and what it prints on a copy of the workspace; code 1 and
    nothing if it comes to no end.
    """
    with tempfile.TemporaryDirectory(prefix="metaclaw-check-") as made:
        copy = Path(made) / "copy"
        shutil.copytree(workspace, copy, symlinks=True)
        try:
            done = subprocess.run(
                # -P: no module is imported from the copy, whose files a model wrote.
                [
                    sys.executable,
                    "-P",
                    "-S",
                    "-m",
                    "bench.metaclaw_bench.checks.inline_child",
                    str(cpu_s),
                ],
                input=source,
                capture_output=True,
                text=True,
                encoding="utf-8",
                cwd=copy,
                env={"PYTHONPATH": str(_ROOT), "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"},
                timeout=PATIENCE_S,
                check=False,
            )
            code, printed = json.loads(done.stdout)
        except (subprocess.TimeoutExpired, ValueError):
            return 1, ""
    return int(code), str(printed)
