"""Tests of the words of `lull why` and `lull status`: each fact once, and no guessed times."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from lull.cli.idle.lulls import headline, why_words
from lull.cli.shared.context import table
from lull.contract.json_object import Json

NEXT, LATER = (datetime(2031, 11, 21, 20, minute).astimezone().isoformat() for minute in (30, 40))


def why(state: str, because: str, *closed: str, **more: Any) -> Json:
    gates = [{"name": name, "state": "closed", "text": f"The {name}."} for name in closed]
    gates.append({"name": "heat", "state": "open", "text": "The computer is not hot."})
    return {
        "state": state,
        "because": because,
        "until": None,
        "next": None,
        "gates": gates,
        "work": [],
        **more,
    }


def proof(why_not: str) -> Json:
    text = "Proving lists"
    return {"kind": "proof", "text": text, "progress": 0.5, "left_s": 90.0, "why_not": why_not}


def test_a_pause_is_told_once() -> None:
    paused = why("paused", "Paused until 20:30.", "pause", until=NEXT, next=NEXT)
    assert headline(paused) == "Paused until 20:30."
    assert why_words(paused).count("20:30") == 1
    assert headline(why("paused", "Paused until you resume.")) == "Paused until you resume."


def test_somebody_who_is_here_is_told_when_it_may_begin_and_not_when_they_leave() -> None:
    here = why(
        "closed", "You are here: last input less than 1 min ago.", "input", "wait", next=LATER
    )
    assert headline(here) == "Not now: You are here: last input less than 1 min ago."
    assert "Next: 2031-11-21 20:40 if you stay away." in why_words(here).splitlines()


def test_a_call_says_its_end_once_and_when_it_goes_on_behind_it() -> None:
    call = why(
        "closed",
        "Your calendar “Work” says that you need this computer until 20:30.",
        "calendar",
        until=NEXT,
        next=LATER,
    )
    assert (
        headline(call)
        == "Not now: Your calendar “Work” says that you need this computer until 20:30."
    )
    assert "Next: 2031-11-21 20:40." in why_words(call).splitlines()


def test_an_open_window_says_that_nothing_is_to_be_done_only_where_that_is_so() -> None:
    quiet = "No sign of you for 12 min."
    assert headline(why("open", quiet)).endswith("12 min. Nothing is to be done.")
    waits = why("open", quiet, work=[proof("It needs 5 min at least.")])
    assert headline(waits) == (
        "Free to work: No sign of you for 12 min. Proving lists waits: It needs 5 min at least."
    )
    assert "Proving lists: 50% done, about 2 min left. It needs 5 min at least." in why_words(waits)
    ends = why("open", quiet, until=NEXT)
    assert "12 min (until 2031-11-21 20:30)." in headline(ends)


def test_where_nothing_tells_of_the_user_it_says_what_to_do() -> None:
    unknown = why("closed", "Can't tell whether you are here.")
    unknown["gates"].append({"name": "input", "state": "unknown", "text": "Unknown."})
    assert "idle.source" in why_words(unknown) and "idle.sleep_hours" in why_words(unknown)
    assert "idle.source" not in why_words(why("open", "No sign of you for 12 min."))


def test_the_conditions_stand_under_no_empty_head() -> None:
    assert "\n\n\n" not in why_words(why("open", "No sign of you for 12 min."))
    assert table([], ("A", "B")) == ""
    assert table([("a", "b")], ("A", "BB")).splitlines() == ["A  BB", "a  b"]
