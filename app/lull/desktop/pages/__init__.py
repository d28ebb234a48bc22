"""Functions that make the window's pages; the module of a page is imported only when the user first
opens the page.
"""

from __future__ import annotations

from lull.desktop.widgets.page import Kit, MakesPage, Page, PageName


def making() -> dict[PageName, MakesPage]:
    """Return for each page the function that creates it."""
    return {
        PageName.TODAY: _today,
        PageName.REVIEW: _review,
        PageName.SKILLS: _skills,
        PageName.LEARNING: _learning,
        PageName.SCHEDULE: _schedule,
        PageName.CONVERSATIONS: _conversations,
        PageName.CHAT: _chat,
        PageName.CONNECT: _connect,
        PageName.SETTINGS: _settings,
        PageName.LOGS: _logs,
    }


def _today(kit: Kit) -> Page:
    from lull.desktop.pages.today.page import TodayPage

    return TodayPage(kit)


def _review(kit: Kit) -> Page:
    from lull.desktop.pages.review.page import ReviewPage

    return ReviewPage(kit)


def _skills(kit: Kit) -> Page:
    from lull.desktop.pages.skills.page import SkillsPage

    return SkillsPage(kit)


def _learning(kit: Kit) -> Page:
    from lull.desktop.pages.learning.page import LearningPage

    return LearningPage(kit)


def _schedule(kit: Kit) -> Page:
    from lull.desktop.pages.schedule.page import SchedulePage

    return SchedulePage(kit)


def _conversations(kit: Kit) -> Page:
    from lull.desktop.pages.chat.page import ConversationsPage

    return ConversationsPage(kit)


def _chat(kit: Kit) -> Page:
    from lull.desktop.pages.chat.talk import ChatPage

    return ChatPage(kit)


def _connect(kit: Kit) -> Page:
    from lull.desktop.pages.connect import ConnectPage

    return ConnectPage(kit)


def _settings(kit: Kit) -> Page:
    from lull.desktop.pages.settings.page import SettingsPage

    return SettingsPage(kit)


def _logs(kit: Kit) -> Page:
    from lull.desktop.pages.logs import LogsPage

    return LogsPage(kit)
