"""Describes in words how Lull measures what a skill (an instruction text) does to answers, and
which conversations get no skill for the measurement.
"""

from __future__ import annotations

from typing import Any


def measured_words(measured: dict[str, Any] | None) -> str:
    """Describe in words how it is measured whether a skill (an instruction text) improves answers,
    and how many compared pairs of answers were better or worse with it so far.

    `measured` is the field of that name in the skill's JSON; it is None if no service runs, because
    only the service knows.
    """
    if measured is None:
        return "known while Lull runs."
    pairs, better, worse = measured["pairs"], measured["better"], measured["worse"]
    shown = (
        f" Comparisons so far: {pairs} (better with it: {better}, worse: {worse})." if pairs else ""
    )
    match measured["by"]:
        case "replay":
            return (
                "by answering past requests without it while you are away; no conversation goes"
                f" without it.{shown}"
            )
        case "coin":
            return (
                f"{measured['share'] * 100:.2g} % of new conversations go without it, by chance,"
                " because replays of past requests cannot tell what it does; never one of a"
                f" client's first {measured['first_uses']} after its approval"
                f" (`guard.leave_out_share`).{shown}"
            )
        case _:
            return "it is not; every conversation that it fits gets it."
