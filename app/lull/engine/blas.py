"""Tells OpenBLAS the processor family by an environment variable, since an old OpenBLAS does not
know a new processor and runs slowly.

An OpenBLAS older than the processor takes it for a Pentium 4 and runs at a third or a quarter of
its speed. The trainer has its own copy of this code.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def name_the_processor() -> None:
    """Set the environment variable OPENBLAS_CORETYPE, by which OpenBLAS picks its code for a
    processor, unless it is set.

    Call before anything imports MLX.
    """
    processor = Path("/proc/cpuinfo")
    flags = processor.read_text() if sys.platform == "linux" and processor.exists() else ""
    for flag, family in (("avx512bw", "SkylakeX"), ("avx2", "Haswell")):
        if flag in flags:
            os.environ.setdefault("OPENBLAS_CORETYPE", family)
            return
