"""Fixtures of homes in which a suggestion was made and proved, once per run for all its workers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.corrections import corrected
from tests.plugins.made_once import made_once
from tests.running import Lull, RunningLull


@pytest.fixture(scope="session")
def proved_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which a person corrected a menu with RULE and a service proved the suggestion; it
    was stopped in good order, and nothing is approved. It must stay as it is.

    A test plays its own way to a proof only where the way is its subject: test_fast_loop (one from
    the first word to the approval, one that is killed in the middle, one of an edit), test_judge
    (a chat stops it), test_away_and_here (it waits for a lull), test_review_walk (it is asked for
    at a terminal), test_plain_language (ten wishes), test_model_written_skills (what a model
    wrote), test_blind_picks (the user scores it), test_readme (as its transcript says) and walks
    (the way is traced).
    """
    return made_once(tmp_path_factory, "proved", _prove)


def _prove(home: Path) -> None:
    with RunningLull.cleaned_up(home) as lull:
        service = lull.serve()
        proposal = corrected(lull, service)
        (proved,) = lull.ask("prove", proposal["id"], "--wait")["proposals"]
        assert proved["status"] == "proved", proved
        assert service.stop() == 0


@pytest.fixture
def proved(lull: Lull, proved_home: Path) -> Lull:
    """A Lull, not yet started, whose home is a copy of `proved_home`."""
    shutil.copytree(proved_home, lull.home)
    return lull
