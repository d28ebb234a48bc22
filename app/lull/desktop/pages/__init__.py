"""The eight pages, each made when it is first opened."""

from __future__ import annotations

from lull.desktop.page import Kit, Page, PageName
from lull.desktop.window import Making


def making() -> dict[PageName, Making]:
    return {
        PageName.TODAY: _today,
        PageName.REVIEW: _review,
        PageName.SKILLS: _skills,
        PageName.LEARNING: _learning,
        PageName.SCHEDULE: _schedule,
        PageName.CONVERSATIONS: _conversations,
        PageName.SETTINGS: _settings,
        PageName.LOGS: _logs,
    }


def _today(kit: Kit) -> Page:
    from lull.desktop.pages.today import Today

    return Today(kit)


def _review(kit: Kit) -> Page:
    from lull.desktop.pages.review import Review

    return Review(kit)


def _skills(kit: Kit) -> Page:
    from lull.desktop.pages.skills import Skills

    return Skills(kit)


def _learning(kit: Kit) -> Page:
    # pyqtgraph and numpy are half of the window's memory: only who looks at curves pays.
    from lull.desktop.pages.learning import Learning

    return Learning(kit)


def _schedule(kit: Kit) -> Page:
    from lull.desktop.pages.schedule import Schedule

    return Schedule(kit)


def _conversations(kit: Kit) -> Page:
    from lull.desktop.pages.conversations import Conversations

    return Conversations(kit)


def _settings(kit: Kit) -> Page:
    from lull.desktop.pages.settings import Settings

    return Settings(kit)


def _logs(kit: Kit) -> Page:
    from lull.desktop.pages.logs import Logs

    return Logs(kit)
