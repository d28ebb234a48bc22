"""The limited child: interprets the program on stdin over the folder it stands in.

It opens no connection, starts no process and writes no file: the audit hook refuses all three,
should the interpreter ever have a way to them. Modules are imported before the hook is set.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path
from typing import Final

from bench.metaclaw_bench.checks.inline import interpreted

MEMORY_BYTES: Final = 1 << 30
_REFUSED: Final = (
    "socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn",
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate",
    "os.chmod", "ctypes.", "pty.",
)  # fmt: skip
_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def refuse(event: str, args: tuple[object, ...]) -> None:
    """Audit hook. Raises PermissionError for what leaves the child."""
    flags = args[2] if event == "open" and len(args) > 2 else 0
    if event.startswith(_REFUSED) or (isinstance(flags, int) and flags & _WRITES):
        raise PermissionError(f"{event} is not for a check")


def main() -> None:
    cpu_s = int(sys.argv[1])
    for limit, most in (
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        try:
            resource.setrlimit(limit, (most, most))
        except (ValueError, OSError):
            continue  # not every system has every limit
    source = sys.stdin.read()
    sys.addaudithook(refuse)
    print(json.dumps(interpreted(source, Path.cwd())))


if __name__ == "__main__":
    main()
