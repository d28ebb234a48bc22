"""Tests that a file of a walk which stands under another than the one that calls it is noticed."""

from __future__ import annotations

import pytest

from bench.house import WALKS
from tests.e2e.walks.tracing import legs, misplaced, stages


@pytest.mark.parametrize("walk", WALKS)
def test_each_file_stands_under_another_or_begins_something(walk: str) -> None:
    under, all_ = stages(walk), legs(walk)
    assert under.keys() < {one for leg in all_ for one in leg}
    assert not [leg[0] for leg in all_ if leg[0] in under]
    for file, above in under.items():
        (leg,) = [leg for leg in all_ if file in leg]
        assert above <= set(leg), f"{file} stands under a file of another part"


def test_a_file_under_another_than_its_caller_is_noticed() -> None:
    called = {file: set(above) for file, above in stages("request").items()}
    assert misplaced("request", called) == []
    called["loops/chat/conversations"] = {"service/proxy/auth"}
    assert misplaced("request", called) == ["loops/chat/conversations"]
    called["loops/chat/conversations"] = set()  # the first file of a thread
    assert misplaced("request", called) == []
