"""Writes the window's texts about a proposed skill: whether it was tested, whether the tests showed
that it helps, and whether its text is suspicious.

They are used in the skill's chip, on its Approve button and in its warnings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lull.contract.json_object import Json
from lull.core.proof.review_state import CALM, CAUTION_WORDS, Caution, ReviewState
from lull.desktop.language.words import counted, plain, tr, translated
from lull.desktop.shared.skill_words import FlagLook, flag_look
from lull.desktop.shared.testing.running_tests import line_words, waits_in_line


def standing(proposal: Json) -> ReviewState:
    """Return how far a proposed skill has come in its tests."""
    return ReviewState(str(proposal.get("standing") or ReviewState.UNTESTED))


def needs_confirmation(proposal: Json) -> bool:
    """Whether the user must confirm the approval of a proposed skill in a dialog after pressing the
    Approve button.
    """
    return standing(proposal) not in CALM


def is_quarantined(proposal: Json) -> bool:
    """Whether a proposed skill is held back because it looks dangerous."""
    return standing(proposal) is ReviewState.QUARANTINED


def approvable_together(proposals: Sequence[Json]) -> list[Json]:
    """Return those of the selected proposed skills that one press of Approve may approve together.

    A single proposal is always returned. Of several, those whose text is suspicious are left out.
    """
    if len(proposals) == 1:
        return list(proposals)
    return [proposal for proposal in proposals if not is_quarantined(proposal)]


def waits_for_picks(proposal: Json) -> bool:
    """Whether a proposed skill can be tested only by the user, who has to compare answers with and
    without it.

    That is so if neither a check nor a judge model can score the answers.
    """
    return proposal.get("needs") == "picks" and proposal["status"] != "deferred"


def is_half_tested(proposal: Json) -> bool:
    """Whether tests of a proposed skill were made, but do not decide yet whether it helps."""
    tested = bool((proposal.get("evidence") or {}).get("pairs"))
    return tested and standing(proposal) is ReviewState.UNTESTED


def harm_checks(proposal: Json) -> tuple[int, int] | None:
    """Of a proposed skill whose benefit is shown, return how many answers that were good before
    were repeated, and how many are in all; None if none is left to repeat, or its test ended.
    """
    evidence = proposal.get("evidence") or {}
    left = int(evidence.get("successes_left") or 0)
    if not left or not evidence.get("shown_by") or standing(proposal) is not ReviewState.UNTESTED:
        return None
    done = int(evidence.get("success_pairs") or 0)
    return done, done + left


def accepted_at_last_look(proposal: Json) -> bool:
    """Whether a proposed skill was accepted by the random decision at the end of its tests (the
    last look), because the evidence alone had not decided.

    The chance of acceptance depends on the evidence. The last look is made after all planned tests.
    """
    return (proposal.get("evidence") or {}).get("shown_by") == "last look"


def status_chip(proposal: Json) -> tuple[str, str]:
    """Return text and style of the chip (a small coloured label) that says whether a proposed skill
    was tested and with which result, such as "Proved".
    """
    if waits_for_picks(proposal):
        return tr("Needs your choice"), "plain"
    match standing(proposal):
        case ReviewState.PROVED if cautions(proposal):
            requests = int(proposal["evidence"].get("requests") or 0)
            return counted(requests, "Proved on %1 request", "Proved, with caveats"), "plain"
        case ReviewState.PROVED if accepted_at_last_look(proposal):
            return tr("Accepted by a random draw"), "good"
        case ReviewState.PROVED:
            return tr("Proved"), "good"
        case ReviewState.NOT_BETTER:
            return tr("No benefit shown"), "warn"
        case ReviewState.UNTESTABLE:
            return tr("Can't be tested"), "warn"
        case ReviewState.QUARANTINED:
            return tr("Quarantined"), "bad"
        case ReviewState.OUT_OF_DATE:
            return tr("Out of date"), "warn"
        case ReviewState.REMOVAL:
            return tr("Removal"), "plain"
        case _ if waits_in_line(proposal):
            return line_words(proposal), "plain"
        case _ if proposal.get("stopped"):
            return tr("Stopped by you"), "plain"
        case _ if proposal["status"] == "proving" or is_half_tested(proposal):
            return tr("Being tested"), "plain"
    return tr("Not tested yet"), "plain"


def status_help(proposal: Json) -> str:
    """Explain the status of a proposed skill to somebody who reads it for the first time; "" for
    one that needs no explanation.
    """
    if waits_for_picks(proposal):
        return tr("Two answers are shown to you, one with the skill; you say which is better.")
    match standing(proposal):
        case ReviewState.PROVED if accepted_at_last_look(proposal):
            return tr(
                "Its tests were close. A random draw, which favours what did better, then decided "
                "for it."
            )
        case ReviewState.PROVED:
            return tr(
                "Requests of yours were answered with and without it, and the answers with it were "
                "better too often for luck."
            )
        case ReviewState.NOT_BETTER:
            return tr(
                "Requests of yours were answered with and without it, and the answers with it were "
                "not better often enough."
            )
        case ReviewState.UNTESTABLE:
            return tr("Nothing here can tell whether answers are better with it.")
        case ReviewState.QUARANTINED:
            return tr(
                "Held back, because something in its text may be dangerous. It is used only if you "
                "approve it by itself."
            )
        case ReviewState.OUT_OF_DATE:
            return tr("The skill changed after this was suggested.")
        case ReviewState.REMOVAL:
            return tr("It would take a skill out of use.")
        case _ if proposal.get("stopped"):
            return tr("You stopped its test. “Test now” goes on where it stopped.")
    return tr(
        "Requests of yours are answered with and without it while you are away, to see which "
        "answers are better."
    )


def approve_words(proposal: Json) -> str:
    """Return the text of the button that approves a proposed skill; it differs if tests did not
    show that the skill helps.
    """
    match standing(proposal):
        case ReviewState.PROVED:
            return tr("Approve  A")
        case ReviewState.REMOVAL:
            return tr("Remove the skill  A")
        case ReviewState.UNTESTED if is_half_tested(proposal):
            return tr("Approve before it is decided…  A")
        case ReviewState.UNTESTED:
            return tr("Approve untested…  A")
    if is_quarantined(proposal):
        return tr("Approve anyway…")  # it has no letter
    return tr("Approve anyway…  A")


def reason_words(proposal: Json) -> str:
    """Return the service's reason for the status of a proposed skill, with commands replaced by the
    window's pages.
    """
    if proposal["status"] == "rejected":
        return plain(str(proposal.get("reason") or ""))  # the user's own words
    return translated(proposal, "reason")


def flag_lines(proposal: Json, look: FlagLook | None = None) -> list[str]:
    """Return the findings about a proposed skill's text, one line each; with a `look`, those that
    are shown like that.
    """
    return [
        f"{_MARKS[flag_look(f)]} {translated(f)} {plain(_quoted(f))}".strip()
        for f in proposal.get("flags") or ()
        if look is None or flag_look(f) is look
    ]


_MARKS: Final = {FlagLook.DANGER: "⚠", FlagLook.CAUTION: "⚠", FlagLook.NEUTRAL: "○"}


def _quoted(flag: Json) -> str:
    return f"“{flag['quote']}”" if flag.get("quote") else ""


def cautions(proposal: Json) -> list[str]:
    """Return sentences about what the tests of a proposed skill leave uncertain, worded as on the
    command line.
    """
    found = list((proposal.get("evidence") or {}).get("cautions") or ())
    if harm_checks(proposal) and Caution.NO_PAST_SUCCESS in found:
        found.remove(Caution.NO_PAST_SUCCESS)  # just these are repeated now
    return [tr(CAUTION_WORDS[Caution(one)]) for one in found]
