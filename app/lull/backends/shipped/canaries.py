"""The canary prompts that ship with Lull: prompts with known right answers, which test whether a
LoRA adapter has lost abilities.
"""

from __future__ import annotations

import json
from functools import lru_cache

from lull.core.adapters.canary import CanaryTask, canary_tasks_from
from lull.resources import probes_dir


@lru_cache(maxsize=1)
def shipped_canaries() -> tuple[CanaryTask, ...]:
    """Read the canary prompts from the files that ship with Lull. Raises ResourceError."""
    files = sorted(probes_dir().glob("*.json"))
    return tuple(
        one for file in files for one in canary_tasks_from(json.loads(file.read_text("utf-8")))
    )
