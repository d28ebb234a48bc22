"""Prepares the trainer process for MLX: a fast BLAS, no network and no library warnings.

MLX's wheel for Linux bundles reference BLAS, about thirty times slower than OpenBLAS. The first
library loaded with global symbols wins, so OpenBLAS is loaded before MLX. The inference engine has
its own copy of this code, because the two processes share none.
"""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from pathlib import Path


def prepare() -> None:
    """Set up the trainer's environment and load OpenBLAS. Call before anything imports MLX."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    warnings.simplefilter("ignore")
    if sys.platform == "linux":
        # One thread keeps the order of summation fixed, so a run is reproducible to the byte.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        _name_the_processor()
        try:
            ctypes.CDLL("libopenblas.so.0", mode=ctypes.RTLD_GLOBAL)
        except OSError:
            print("no OpenBLAS on this machine: the CPU will be slow", file=sys.stderr)  # noqa: T201


def _name_the_processor() -> None:
    """Tell OpenBLAS the processor family.

    An OpenBLAS older than the processor takes it for a Pentium 4 and runs at a quarter of its
    speed.
    """
    processor = Path("/proc/cpuinfo")
    flags = processor.read_text() if processor.exists() else ""
    for flag, family in (("avx512bw", "SkylakeX"), ("avx2", "Haswell")):
        if flag in flags:
            os.environ.setdefault("OPENBLAS_CORETYPE", family)
            return
