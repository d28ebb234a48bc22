"""Tests of random histories, in which the process may be killed at any write: no support turn
trains the weights, nothing unapproved reaches a prompt, and every stamp says what was in force.

A history is played on the real store and the real loops of the service, with scripted models
(puppets.py), against books that the test keeps itself (book.py, promises.py). The histories are the
same in every run; LULL_HISTORIES=2000 plays so many others.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.loops.histories.histories import Step, steps
from tests.loops.histories.player import Player
from tests.loops.histories.stored_promises import check_stored
from tests.loops.histories.stories import Stories

MORE = int(os.environ.get("LULL_HISTORIES") or 0)
SEEN: Counter[str] = Counter()
PUT_TO_THE_TEST = (
    "approved by extractive",
    "approved by model",
    "conversations forgotten",
    "deaths in the middle",
    "eligible turns",
    "proofs verified",
    "quarantined by model",
    "refusals",
    "rejected by extractive",
    "requests with a suffix",
    "requests with what was approved",
    "skills left out by chance",
    "support turns",
)


@pytest.mark.full
@pytest.mark.timeout(max(MORE * 10, 1800))
def test_any_history_keeps_its_promises_wherever_the_process_dies() -> None:
    SEEN.clear()
    any_history()
    assert not [what for what in PUT_TO_THE_TEST if not SEEN[what]], SEEN


@settings(
    max_examples=MORE or 14,
    derandomize=not MORE,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.lists(steps, min_size=40, max_size=80))
def any_history(history: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        player = Player(Path(folder), SEEN)
        stories = Stories(player)
        try:
            for name, what in history:
                getattr(stories, name)(**what)
                check_stored(player)
        finally:
            player.close()
