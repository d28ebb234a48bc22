"""Names the processor to OpenBLAS: one that is older than the machine takes it for a Pentium 4 and
works at a third or a quarter of its speed. The trainer has its own few lines of this."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def name_the_processor() -> None:
    """Call before anything imports MLX. What is set already stays."""
    processor = Path("/proc/cpuinfo")
    flags = processor.read_text() if sys.platform == "linux" and processor.exists() else ""
    for flag, family in (("avx512bw", "SkylakeX"), ("avx2", "Haswell")):
        if flag in flags:
            os.environ.setdefault("OPENBLAS_CORETYPE", family)
            return
