"""What must be so before MLX is loaded: a fast BLAS, no network, no other people's warnings.

MLX's wheel for Linux bundles reference BLAS, some thirty times slower than OpenBLAS; the first
library that is loaded with global symbols wins. The engine has its own few lines of this: the two
processes know nothing of each other.
"""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from pathlib import Path


def prepare() -> None:
    """Call before anything imports MLX."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    warnings.simplefilter("ignore")
    if sys.platform == "linux":
        # One thread: sums are then always taken in one order, and a run gives the same bytes.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        _name_the_processor()
        try:
            ctypes.CDLL("libopenblas.so.0", mode=ctypes.RTLD_GLOBAL)
        except OSError:
            print("no OpenBLAS on this machine: the CPU will be slow", file=sys.stderr)  # noqa: T201


def _name_the_processor() -> None:
    """An OpenBLAS older than the processor takes it for a Pentium 4, at a quarter of its speed."""
    processor = Path("/proc/cpuinfo")
    flags = processor.read_text() if processor.exists() else ""
    for flag, family in (("avx512bw", "SkylakeX"), ("avx2", "Haswell")):
        if flag in flags:
            os.environ.setdefault("OPENBLAS_CORETYPE", family)
            return
