"""Stand-ins for other systems' libraries, in C and compiled here; tests set what they answer."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

_FOLDER = Path(__file__).parent / "stand_ins"


class StandIn:
    """A compiled stand-in that is opened in place of every library; tests set its variables.

    For example `number("now_session").value = 2`.
    """

    def __init__(self, file: Path) -> None:
        self.library = ctypes.CDLL(str(file))
        self.missing = False
        """Whether opening it fails, as if the library were not installed."""

    def open(self, _name: str) -> Any:
        if self.missing:
            raise OSError("image not found")
        return self.library

    def number(self, name: str) -> ctypes.c_int32:
        return ctypes.c_int32.in_dll(self.library, name)

    def real(self, name: str) -> ctypes.c_double:
        return ctypes.c_double.in_dll(self.library, name)

    def numbers(self, name: str, values: list[int]) -> None:
        ctypes.memmove(
            (ctypes.c_int32 * 8).in_dll(self.library, name),
            (ctypes.c_int32 * 8)(*values),
            ctypes.sizeof(ctypes.c_int32 * 8),
        )


def stand_in(name: str, folder: Path) -> StandIn:
    """Compile a stand-in, a new library each time, since its variables belong to it."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    made = folder / f"{name}.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-Wall", "-Werror", "-o", made, _FOLDER / f"{name}.c"],
        check=True,
    )
    return StandIn(made)
