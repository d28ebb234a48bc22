"""Starts and stops tests of proposed skills from the window, and words how far one has come."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from lull.contract import routes
from lull.contract.json_object import Json
from lull.desktop.language.words import counted, skill_title, tr
from lull.desktop.service.state import AppState, Subject


def start_test(state: AppState, proposal: Json) -> None:
    """Have a proposed skill tested now; if another test is under way, it waits its turn."""
    state.act(
        routes.PROPOSALS_PROVE,
        {"id": proposal["id"]},
        words=tr("Testing"),
        done=tr("Sent to be tested; you can go on."),
        then=lambda _: state.touch(Subject.PROPOSALS),
    )


def stop_test(state: AppState, proposal: Json) -> None:
    """Stop the test of a proposed skill, or take back that it waits to be tested."""
    done = tr("Stopped. Its tests so far are kept; “Test now” goes on.")
    if waits_in_line(proposal):
        done = tr("Taken back. It is tested when you're away, or when you press “Test now”.")
    state.act(
        routes.PROPOSAL_DO.format(id=proposal["id"], action="stop"),
        {},
        words=tr("Stopping the test of %1", skill_title(proposal["name"])),
        done=done,
        then=lambda _: state.touch(Subject.PROPOSALS, Subject.STATUS),
    )


def waits_in_line(proposal: Json) -> bool:
    """Whether the test of a proposed skill was asked for and waits for other tests."""
    return bool(proposal.get("tests_before"))


def line_words(proposal: Json) -> str:
    """Say for how many other tests a proposed skill waits."""
    return counted(
        int(proposal.get("tests_before") or 0),
        "Waits for %1 other test",
        "Waits for %1 other tests",
    )


def show_stop(shown: QPushButton, proposal: Json | None) -> bool:
    """Show the button that stops a test only for a proposed skill that is tested now, or waits for
    other tests; return whether it does.
    """
    waits = proposal is not None and waits_in_line(proposal)
    runs = waits or (proposal is not None and bool(proposal.get("testing")))
    shown.setText(tr("Don't test now") if waits else tr("Stop testing"))
    shown.setAccessibleName(shown.text())
    shown.setEnabled(runs)
    shown.setVisible(runs)
    return runs
