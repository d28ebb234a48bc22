"""The Schedule page: a picture of the week with the lulls (idle times in which Lull may train), the
hours and calendars that the user has set, and why Lull may or may not work now.
"""

from __future__ import annotations

import functools
import json

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QGridLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.idle.hours import reads
from lull.desktop.language.hours_words import example_hours, hours_typed, hours_words
from lull.desktop.language.words import ago, counted, length, now, plain, tr, translated
from lull.desktop.pages.schedule.hours_edit import (
    Stretch,
    lines_of,
    week_of,
    with_stretch,
    without_stretch,
)
from lull.desktop.pages.schedule.week import planned_fill
from lull.desktop.pages.schedule.week_bars import Bar, BarKind, bars_of, kind_words, list_rows
from lull.desktop.pages.schedule.week_editor import WeekEditor
from lull.desktop.service.client import Reply
from lull.desktop.service.state import OutcomeMessage, Subject, shown_week
from lull.desktop.shared.feed_dialog import FeedDialog
from lull.desktop.shared.tray_status import blocks_work, tray_status
from lull.desktop.widgets.accessible import tab_after
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.flow import Flow, scrolled
from lull.desktop.widgets.page import Kit, Page
from lull.desktop.widgets.parts import (
    Card,
    button,
    clear_layout,
    label,
    row,
    set_kind,
    unwrapped_row,
)
from lull.desktop.widgets.small_table import fill, small_table
from lull.desktop.widgets.tokens import GAP, Theme


class SchedulePage(Page):
    """The Schedule page: shows when in the week Lull may do background work such as training, and
    edits the hours and the user's calendars that decide it.
    """

    subjects = (Subject.WINDOWS, Subject.STATUS, Subject.CALENDARS)

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, tr("Schedule"))
        self.why = label("", "head", wrap=True)
        self.reasons = label("", "muted", wrap=True)
        self.week = WeekEditor(kit.look)
        self.hours: dict[str, QLineEdit] = {}
        self._feeds = QVBoxLayout()
        self._legend = Flow(gap=GAP * 2)
        self._lulls = label("", wrap=True)
        inner = QWidget()
        # Before its cards are added: Qt works out the styles of all that is in it once more.
        outer = QVBoxLayout(self.body)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(inner))
        box = QVBoxLayout(inner)
        box.setContentsMargins(0, 0, GAP, 0)
        box.setSpacing(GAP * 2)
        for card in (
            self._why_card(),
            self._week_card(),
            self._list_card(),
            self._hours_card(),
            self._feeds_card(),
        ):
            box.addWidget(card)
        box.addStretch(1)

    def _why_card(self) -> Card:
        card = Card()
        self._question = label(tr("Why not now?"), "muted")
        card.box.addWidget(self._question)
        card.box.addWidget(self.why)
        card.box.addWidget(self.reasons)
        return card

    def _week_card(self) -> Card:
        card = Card()
        self.kind = Choice()
        self.kind.setAccessibleName(tr("Which hours are drawn"))
        for words, key in (
            (tr("Draw blocked hours"), "blocked"),
            (tr("Draw sleep hours"), "sleep"),
            (tr("Draw allowed hours"), "allowed"),
        ):
            self.kind.addItem(words, key)
        self.kind.activated.connect(lambda _: self._show_week())
        self._hint = label("", "small", wrap=True)
        self._point("")
        self.week.drawn.connect(self._draw_hours)
        self.week.pointed.connect(self._point)
        card.box.addLayout(row(self.kind, None))
        card.box.addWidget(self._hint)
        card.box.addWidget(self.week)
        card.box.addLayout(self._legend)
        card.box.addWidget(self._lulls)
        return card

    def _list_card(self) -> Card:
        card = Card(tr("This week as a list"))
        heads = (tr("Day"), tr("Time"), tr("What"), tr("Reason"))
        self.list = small_table(heads, tr("This week as a list"), row_px=24)
        self.list.setMinimumHeight(180)
        card.box.addWidget(self.list)
        self._listed = card
        return card

    def _hours_card(self) -> Card:
        card = Card(tr("Hours"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(GAP * 2)
        grid.setColumnStretch(1, 1)
        for line, (key, title, words) in enumerate(
            (
                ("sleep_hours", tr("Sleep hours"), tr("Lull starts sooner at these times.")),
                ("allowed_hours", tr("Allowed hours"), tr("If any are set, Lull works only then.")),
                ("blocked_hours", tr("Blocked hours"), tr("Lull never works then.")),
            )
        ):
            field = QLineEdit()
            field.setAccessibleName(title)
            field.setPlaceholderText(tr("e.g. %1", example_hours()))
            field.editingFinished.connect(functools.partial(self._set_hours, key))
            self.hours[key] = field
            grid.addWidget(label(title), 2 * line, 0)
            grid.addWidget(field, 2 * line, 1)
            grid.addWidget(label(words, "small", wrap=True), 2 * line + 1, 1)
        card.box.addLayout(grid)
        return card

    def _feeds_card(self) -> Card:
        card = Card(tr("Calendars"))
        card.box.addLayout(self._feeds)
        card.box.addLayout(row(button(tr("Add a calendar…"), self._add_feed), None))
        return card

    def draft(self) -> str:
        typed = {key: field.text() for key, field in self.hours.items() if field.isModified()}
        return json.dumps(typed) if typed else ""

    def take_draft(self, written: str) -> None:
        for key, text in json.loads(written).items():
            self.hours[key].setText(text)
            self.hours[key].setModified(True)

    # Showing

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        # A feed that was fetched, and a day that has passed, come without an event.
        self.state.touch(Subject.WINDOWS, Subject.CALENDARS)

    def show_content(self) -> None:
        stands, learning = tray_status(self.state, now()), self._learning_now()
        working = learning.get("state") in ("open", "working")
        self._question.setText(tr("Why now?") if working else tr("Why not now?"))
        because = translated(learning, "because") if stands.learns else stands.line
        shut = [translated(one) for one in learning.get("gates") or () if blocks_work(one)]
        others = [text for text in shut if text != because]
        if stands.learns and learning.get("because_code") == "input-unknown":
            others.append(because)  # with what the system says
            because = tr("Can't tell whether you are here, so Lull assumes that you are.")
        self.why.setText(because)
        self.reasons.setText("\n".join(others))
        self.reasons.setVisible(bool(others))
        self._show_week()
        self._show_hours()
        self._show_feeds()

    def _learning_now(self) -> Json:
        """Return what the service says of its work now; {} if the service is off or gone, as older
        data say nothing about now.
        """
        return self.state.learning if tray_status(self.state, now()).learns else {}

    def _show_week(self) -> None:
        at = now()
        windows = self.state.value(Subject.WINDOWS)
        first = shown_week(at)[0].date()
        bars = bars_of(windows, self._learning_now(), first, at)
        self.week.show_bars(bars, first, at)
        self.week.set_hours(self._set_hours_of(self.kind.currentData()))
        self._lulls.setText(week_words(windows))
        self._lulls.setAccessibleName(self._lulls.text())
        self._show_legend(bars)
        rows = list_rows(bars, at)
        fill(self.list, [("", cells) for cells in rows], select=False)
        self._listed.setVisible(bool(rows))

    def _set_hours_of(self, key: str) -> list[str]:
        """Return the valid setting lines of one kind of hours, such as sleep hours, as they are set
        now.
        """
        hours = self.state.value(Subject.WINDOWS).get("hours") or {}
        return [line for line in hours.get(key) or () if reads(line)]

    def _point(self, words: str) -> None:
        self._hint.setText(
            words
            or tr(
                "Drag to add hours; drag over them to remove them. Or use the arrow keys and Enter."
            )
        )

    def _show_legend(self, bars: list[Bar]) -> None:
        clear_layout(self._legend)
        words, there = kind_words(), {bar.kind for bar in bars}
        for kind in (kind for kind in BarKind if kind in there):
            swatch = QLabel()
            swatch.setFixedSize(14, 10)
            theme = self.kit.look.theme
            # Background colours are close to the card's own, so draw an edge.
            edge = theme.accent if kind is BarKind.PLANNED else theme.edge
            swatch.setStyleSheet(f"background: {_colour(kind, theme)}; border: 1px solid {edge};")
            entry = QWidget()
            entry.setLayout(row(swatch, label(words[kind], "small")))
            self._legend.addWidget(entry)

    def _show_hours(self) -> None:
        hours = self.state.value(Subject.WINDOWS).get("hours") or {}
        for key, field in self.hours.items():
            if not field.isModified():
                field.setText(
                    ", ".join(map(hours_words, hours.get(key.removesuffix("_hours")) or ()))
                )

    def _show_feeds(self) -> None:
        clear_layout(self._feeds)
        feeds = self.state.value(Subject.CALENDARS).get("calendars") or ()
        if not feeds:
            words = tr(
                "No calendar: Lull goes only by whether you use the computer and by your hours."
            )
            self._feeds.addWidget(label(words, "muted", wrap=True))
        before: QWidget = self.hours["blocked_hours"]
        for feed in feeds:
            made = self._feed(feed)
            self._feeds.addWidget(made)
            tab_after(before, made)
            before = made.findChildren(QAbstractButton)[-1]

    def _feed(self, feed: Json) -> QWidget:
        means = (
            tr("busy means you're away: Lull may learn")
            if feed["means"] == "away"
            else tr("busy means you need this computer: Lull waits")
        )
        seen = tr("read %1", ago(feed["seen"], now())) if feed["seen"] else tr("not read yet")
        words = [means, counted(feed["ahead"], "%1 upcoming event", "%1 upcoming events"), seen]
        dropped = sum(one["n"] for one in feed["dropped"])
        if dropped:
            words.append(tr("%1 left out", dropped))
        remove = button(
            tr("Remove"),
            functools.partial(self._remove_feed, feed["id"], feed["label"]),
            flat=True,
            name=tr("Remove %1", plain(feed["label"])),
        )
        text = label(f"{plain(feed['label'])}: {' · '.join(words)}", wrap=True)
        if feed["problem"]:
            text.setText(f"{text.text()} · {translated(feed['problem'], 'detail')}")
            set_kind(text, "warn")
        made = QWidget()
        line = unwrapped_row(text, remove)
        line.setContentsMargins(0, 0, 0, 0)
        made.setLayout(line)
        return made

    # Actions

    def _set_hours(self, key: str) -> None:
        field = self.hours[key]
        if not field.isModified():
            return
        lines = [hours_typed(line) for line in _lines(field.text())]
        wrong = next((line for line in lines if not reads(line)), None)
        if wrong is not None:
            such = hours_words("mon-fri 23:00-07:00")
            text = tr("Lull can't read %1. Write hours such as %2.", wrong, such)
            self.state.told.emit(OutcomeMessage(text=text, good=False))
            return
        self._send_hours(key, lines)

    def _draw_hours(self, day: int, stretch: Stretch, adds: bool) -> None:
        key = str(self.kind.currentData())
        week = week_of(self._set_hours_of(key))
        week = (with_stretch if adds else without_stretch)(week, day, stretch)
        self._send_hours(f"{key}_hours", lines_of(week))

    def _send_hours(self, key: str, lines: list[str]) -> None:
        before = self._set_hours_of(key.removesuffix("_hours"))

        def then(done: bool) -> None:
            if done:
                self.hours[key].setModified(False)
            self.state.touch(Subject.WINDOWS, Subject.STATUS)

        self.state.act(
            routes.SETTINGS,
            {"key": f"idle.{key}", "value": ", ".join(lines)},
            words=tr("Setting the hours"),
            done=tr("The hours are set."),
            undo=lambda: self._send_hours(key, before),
            then=then,
        )

    def _add_feed(self) -> None:
        dialog = FeedDialog(self.kit, self)
        dialog.added.connect(lambda: self.state.touch(Subject.CALENDARS, Subject.WINDOWS))
        dialog.open()

    def _remove_feed(self, feed: str, name: str) -> None:
        def tell(answer: Reply) -> None:
            problem = answer.value.get("problem")
            if problem:
                self.state.told.emit(OutcomeMessage(text=translated(problem, "detail"), good=False))

        self.state.act(
            routes.CALENDAR_REMOVE,
            {"calendar": feed},
            words=tr("Removing %1", plain(name)),
            done=tr("%1 was removed.", plain(name)),
            answered=tell,
            then=lambda _: self.state.touch(Subject.CALENDARS, Subject.WINDOWS),
        )


def _lines(text: str) -> list[str]:
    """Split typed hours at the commas between setting lines, not at those between days; a line ends
    with its hours.
    """
    out: list[str] = []
    held = ""
    for part in text.split(","):
        held = f"{held},{part}" if held else part.strip()
        if ("-" in part or "–" in part) and ":" in part:
            out.append(held.strip())
            held = ""
    return [*out, held.strip()] if held.strip() else out


def week_words(windows: Json) -> str:
    """Summarize in words the lulls (idle times in which Lull was allowed to work) of the last
    week.
    """
    lulls = windows.get("windows") or ()
    if not lulls:
        return tr("No idle time in the last seven days yet.")
    long_s = sum(window["length_s"] for window in lulls)
    used_s = sum(window["used_s"] for window in lulls)
    return tr(
        "%1 in the last seven days, %2 in all; Lull worked for %3.",
        counted(len(lulls), "%1 idle time", "%1 idle times"),
        length(long_s),
        length(used_s),
    )


def _colour(kind: BarKind, theme: Theme) -> str:
    return {
        BarKind.SLEEP: theme.hover,
        BarKind.ALLOWED: theme.good_back,
        BarKind.BLOCKED: theme.bad_back,
        BarKind.AWAY: theme.good,
        BarKind.BUSY: theme.bad,
        BarKind.IDLE: theme.edge,
        BarKind.LULL: theme.chosen,
        BarKind.WORK: theme.accent,
        BarKind.PLANNED: planned_fill(theme).name(),
    }[kind]
