"""Tests that a file of a walk which stands under another than the one that calls it is noticed."""

from __future__ import annotations

import pytest

from bench.house import ROOT, WALKS, imported_by
from tests.e2e.walks.tracing import beside, legs, misplaced, stages, turn_backs, unnamed


@pytest.mark.parametrize("walk", WALKS)
def test_each_file_stands_under_another_or_begins_something(walk: str) -> None:
    under, all_ = stages(walk), legs(walk)
    assert under.keys() < {one for leg in all_ for one in leg}
    assert not [leg[0] for leg in all_ if leg[0] in under]
    for file, above in under.items():
        (leg,) = [leg for leg in all_ if file in leg]
        assert above <= set(leg), f"{file} stands under a file of another part"


@pytest.mark.parametrize("walk", WALKS)
def test_what_a_file_of_a_walk_imports_is_named(walk: str) -> None:
    """Also what no trace shows: files of values and protocols, which nobody calls."""
    needs = imported_by(ROOT / "app")
    files = {one for leg in legs(walk) for one in leg}
    found = {
        one.removeprefix("lull.").replace(".", "/")
        for file in files
        for one in needs["lull." + file.replace("/", ".")]
        if not (ROOT / "app" / one.replace(".", "/")).is_dir()
    }
    assert len(found) > 50
    assert unnamed(walk, found) == []
    (door, *_), *_ = legs(walk)
    assert unnamed(walk, {door, "cli/main", *beside(walk)}) == ["cli/main"]


def test_a_file_that_only_a_file_beside_it_calls_is_noticed() -> None:
    """As `trajectories`, if it stood where `recorded` calls the stages of an answer."""
    walk, file = "request", "store/chat/trajectories"
    under = stages(walk)[file]
    assert "loops/chat/record_turn" in under and "service/proxy/recorded" not in under
    for by in ("service/proxy/relay", "service/proxy/recorded"):
        assert misplaced(walk, {file: {by}}) == [file]
    between = {file: {"service/proxy/own_errors"}, "service/proxy/own_errors": under}
    assert misplaced(walk, between) == [], "through one file in between"


def test_a_file_under_another_than_its_caller_is_noticed() -> None:
    called = {file: set(above) for file, above in stages("request").items()}
    assert misplaced("request", called) == []
    called["service/proxy/auth"] = {"service/proxy/data_plane"}
    called["loops/chat/conversations"] = {"service/proxy/auth"}
    assert misplaced("request", called) == ["loops/chat/conversations"]
    called["loops/chat/conversations"] = set()  # the first file of a thread
    assert misplaced("request", called) == []


def test_a_stage_that_another_function_calls_is_a_turn_back() -> None:
    """As where one object has a method for the start of a walk and another for its end."""
    one, two = {"a": [], "b": ["a:run"], "c": ["b:go", "a:run"]}, {"d": ["a:run"]}
    assert turn_backs(one | two) == [], "the function that called one stage calls the next"
    assert turn_backs(one | {"d": ["a:end"]}) == ["d by a:end"]
    assert turn_backs(one | {"d": []}) == ["d by :a thread of its own"]
    assert turn_backs(one, {"e": [], "f": ["e:run"]}) == []
