"""Loads the shipped test cases that measure at which place in a prompt a model obeys skills
(instruction texts) best.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final

from lull.core.checks.reading import parse
from lull.core.errors import LullError, ResourceError
from lull.core.proof.placing import PlacingCase, PlacingSheet
from lull.resources import INSTALL_AGAIN, placement_cases_dir

CASES: Final = "cases.jsonl"


def load_placing_sheet(folder: Path | None = None) -> PlacingSheet:
    """Load the shipped test cases that measure at which place in a prompt a model obeys skills
    best.

    Raises ResourceError.
    """
    file = (folder or placement_cases_dir()) / CASES
    try:
        data = file.read_bytes()
        lines = [json.loads(line) for line in data.decode().splitlines() if line.strip()]
        cases = tuple(
            PlacingCase(
                id=line["id"],
                rule=line["rule"],
                check=parse(json.dumps(line["check"])),
                asked=line["asked"],
                then=line["then"],
                decides=line["decides"],
            )
            for line in lines
        )
    except (OSError, ValueError, KeyError, TypeError, LullError) as error:
        raise ResourceError(f"{file} cannot be read: {error!r}.", hint=INSTALL_AGAIN) from error
    return PlacingSheet(sha256=hashlib.sha256(data).hexdigest(), cases=cases)
