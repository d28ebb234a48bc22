"""The Learning page of Lull's window: charts of answer quality with tables, the list of training
runs, and the list of LoRA adapters, which the user can put into use or roll back.

The first chart that has data is shown until the user chooses another. A sentence below each chart
says what it means.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QPushButton,
    QVBoxLayout,
)

from lull.contract import routes
from lull.contract.json_object import Json
from lull.core.feedback.trend import LEAST_SIDE
from lull.desktop.language.words import counted, now, tr, translated
from lull.desktop.pages.learning.adapters_dialog import AdaptersDialog
from lull.desktop.pages.learning.chart_filter import ChartFilter
from lull.desktop.pages.learning.charts import OF_ANSWERS, Chart, ChartName, charts, titles
from lull.desktop.pages.learning.curves import ZOOM, Curves
from lull.desktop.pages.learning.learning_actions import LearningActions
from lull.desktop.pages.learning.run_feed import RunFeed
from lull.desktop.pages.learning.runs_dialog import RunsDialog
from lull.desktop.pages.learning.words import (
    ADAPTER_HEADS,
    RUN_HEADS,
    adapter_cells,
    cell_tooltip,
    chart_csv,
    csv_text,
    placing_words,
    run_cells,
    run_words,
)
from lull.desktop.service.client import Reply
from lull.desktop.service.state import OutcomeMessage, Phase, Subject
from lull.desktop.shared.learning_feed import LearningFeed
from lull.desktop.shared.tray_status import tray_status
from lull.desktop.widgets.choice import Choice
from lull.desktop.widgets.flow import Sides
from lull.desktop.widgets.page import Empty, Kit, Page, PageName, loading
from lull.desktop.widgets.parts import Card, button, label, row
from lull.desktop.widgets.small_table import fill, selected_names, set_heads, small_table
from lull.desktop.widgets.tokens import GAP

CANCELLABLE = ("waiting", "training", "trained", "judging")
LEARNING_FEED_DAYS: Final = 28
TABLES_ACROSS: Final = 45
"""Least width of the two tables side by side, in heights of a line of text."""


class LearningPage(Page):
    """The Learning page of Lull's window: charts of answer quality above, lists of training runs
    and LoRA adapters below.
    """

    subjects = (Subject.RUNS, Subject.ADAPTERS, Subject.STATUS, Subject.SKILLS)

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, tr("Learning"))
        self.feed = LearningFeed(kit.state, days=LEARNING_FEED_DAYS)
        self.feed.changed.connect(self._look)
        self.run_feed = RunFeed(kit.state)
        self.run_feed.changed.connect(self._look)
        self._charts: dict[ChartName, Chart] = {}
        self._shown: ChartName | None = None
        """The chart that the user chose; None shows the first with data."""
        self._unfolded = False
        self.doing = label("", "muted", wrap=True)
        self.placings = label("", "muted", wrap=True)
        self.curves = Curves(kit.look)
        self.answers_of = ChartFilter()
        self.answers_of.changed.connect(self._narrow)
        self.means = label("", wrap=True)
        self.values = small_table(("",), tr("The values of the curve"), row_px=24)
        self._choices()
        self.train = button(tr("Train now"), kit.actions.train_now)
        self.head.addWidget(self.train)
        self.runs = small_table(RUN_HEADS(), tr("Training runs"), several=True)
        self.runs.itemSelectionChanged.connect(self._show_run)
        self.run_text = label("", "small", wrap=True)
        self.do = LearningActions(kit.state)
        self.cancel = button(tr("Cancel the run"), self._cancel)
        self.details = button(tr("Details…"), self._details, name=tr("Details of the run"))
        self.adapters = small_table(ADAPTER_HEADS(), tr("Adapters"), several=True)
        self.adapters.itemSelectionChanged.connect(self._show_buttons)
        self.whole = button(tr("Details…"), self._whole, name=tr("Details of the adapter"))
        self.adopt = button(tr("Adopt"), self._adopt)
        self.back = button(tr("Roll back"), self._roll_back)
        self.base = button(tr("Use no adapter"), lambda: self.do.roll_back("base"))
        self._lay_out()

    def _choices(self) -> None:
        self.chart, self.period, self.smooth = Choice(), Choice(), Choice()
        for box, name, options in (
            (self.chart, tr("Which curve"), [(words, one) for one, words in titles().items()]),
            (self.period, tr("How far back"), _periods()),
            (self.smooth, tr("Smoothing"), _smoothings()),
        ):
            box.setAccessibleName(name)
            box.setToolTip(name)
            for words, value in options:
                box.addItem(words, value)
        self.smooth.setCurrentIndex(1)
        self.curves.set_smoothing(self.smooth.currentData())
        self.log = QCheckBox(tr("Spread out small values"))
        self.log.setAccessibleName(tr("Spread out small values"))
        self.log.setToolTip(
            tr("A logarithmic scale: small values are drawn further apart, large ones closer.")
        )
        self.chart.activated.connect(self._choose)
        self.period.activated.connect(lambda _: self.feed.set_days(self.period.currentData()))
        self.smooth.activated.connect(
            lambda _: self.curves.set_smoothing(self.smooth.currentData())
        )
        self.log.toggled.connect(self.curves.logarithmic)
        for number, name in enumerate(titles()):
            about = self._about(name)
            self.chart.setItemData(number, about, Qt.ItemDataRole.ToolTipRole)
        hint = tr("Also Ctrl and the mouse wheel over the chart; drag to move.")
        self.nearer = button(tr("Zoom in"), lambda: self.curves.zoom(ZOOM))
        self.nearer.setToolTip(hint)
        self.whole_chart = button(tr("Show all"), self._show_all)
        self.whole_chart.setToolTip(tr("Show the whole chart again (or press 0)."))
        self.whole_chart.setEnabled(False)
        self.curves.zoom_changed.connect(self.whole_chart.setEnabled)

    @staticmethod
    def _about(name: ChartName) -> str:
        return charts({}, [])[name].about

    def _show_all(self) -> None:
        self.curves.show_all()
        self.curves.setFocus()  # the button is of no use now, and a focus must be somewhere

    def _lay_out(self) -> None:
        runs = Card()
        runs.box.addLayout(row(label(tr("Runs"), "head"), None, self.details, self.cancel))
        runs.box.addWidget(self.runs, 1)
        runs.box.addWidget(self.run_text)
        adapters = Card()
        adapters.box.addLayout(row(label(tr("Adapters"), "head"), None, self.whole))
        words = tr("An adapter is what a run has made: a small part that is added to your model.")
        adapters.box.addWidget(label(words, "small", wrap=True))
        adapters.box.addWidget(self.adapters, 1)
        adapters.box.addLayout(row(None, self.base, self.back, self.adopt))
        outer = QVBoxLayout(self.body)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(GAP)
        outer.addWidget(self.doing)
        outer.addWidget(self.placings)
        outer.addWidget(self._curve_card(), 1)
        outer.addSpacing(GAP)
        cards = Sides(runs, adapters, sizes=(464, 426), across=TABLES_ACROSS)
        cards.setHandleWidth(GAP * 2)
        outer.addWidget(cards, 1)

    def _curve_card(self) -> Card:
        card = Card()
        csv = button(tr("Save as CSV…"), lambda: self._export("csv"), name=tr("Save as CSV"))
        png = button(tr("Save as PNG…"), lambda: self._export("png"), name=tr("Save as PNG"))
        card.box.addLayout(row(self.chart, self.period, self.smooth, self.log, None, csv, png))
        card.box.addLayout(row(self.answers_of, None, self.nearer, self.whole_chart))
        self.none = label("", "muted", wrap=True)
        self.none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        card.box.addWidget(self.none, 1)
        card.box.addWidget(self.means)
        self.beside = Sides(self.curves, self.values, sizes=(550, 280), grows=True)
        card.box.addWidget(self.beside, 1)
        return card

    # Visibility

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.feed.set_page_visible(True)
        self.run_feed.set_page_visible(True)
        self.state.get(routes.CONVERSATION_KINDS, self._offer)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self.feed.set_page_visible(False)
        self.run_feed.set_page_visible(False)

    # Showing

    def show_head(self) -> None:
        self.train.setEnabled(tray_status(self.state, now()).learns)

    def empty(self) -> Empty | None:
        if self.state.phase is Phase.LIVE and not self.feed.answered:
            return loading()  # else what the answer brings would push down what is shown already
        value = self.state.value(Subject.RUNS)
        adapters = self.state.value(Subject.ADAPTERS).get("adapters")
        if value.get("runs") or adapters or self.feed.value.get("points") or self.feed.is_filtered:
            return None
        words = tr(
            "Whether answers get better shows here once %1 of them have been scored: rate some, or "
            "say in the chat what is wrong with one.",
            2 * LEAST_SIDE,
        )
        more = [self._training(value), self._doing(value)]
        more += [placing_words(self.feed.value.get("placings", ()))]
        rate = (tr("Rate answers"), lambda: self.kit.go(PageName.CONVERSATIONS))
        fold = (tr("Show less") if self._unfolded else tr("Show more"), self._turn)
        said = [words, *(more if self._unfolded else ())]
        return Empty(
            head=tr("Too little to tell yet"),
            text="\n".join(filter(None, said)),
            offers=(rate, fold) if any(more) else (rate,),
        )

    @staticmethod
    def _training(value: Json) -> str:
        """Say for how many more requests good and bad answers are needed before a run."""
        missing = int(value.get("wanted_groups") or 0) - int(value.get("telling_groups") or 0)
        if missing <= 0:
            return ""
        return counted(
            missing,
            "Training the model itself, without which skills work too, needs good and bad answers "
            "to %1 more request.",
            "Training the model itself, without which skills work too, needs good and bad answers "
            "to %1 more requests.",
        )

    def _turn(self) -> None:
        """Show or hide, on the empty page, what training waits for in detail."""
        self._unfolded = not self._unfolded
        self.refresh()

    def show_content(self) -> None:
        value = self.state.value(Subject.RUNS)
        self.doing.setText(self._doing(value))
        self.doing.setVisible(bool(self.doing.text()))
        self.placings.setText(placing_words(self.feed.value.get("placings", ())))
        self.placings.setVisible(bool(self.placings.text()))
        fill(self.runs, [(r["id"], run_cells(r)) for r in self._runs()], hint=cell_tooltip)
        adapters = [(a["id"], adapter_cells(a)) for a in self._adapters()]
        fill(self.adapters, adapters, hint=cell_tooltip)
        skills = self.state.value(Subject.SKILLS).get("skills") or ()
        self.answers_of.offer_skills(sorted({str(one["name"]) for one in skills}))
        self._charts = charts(self.feed.value, self._runs(), self.run_feed.value)
        self._show_chart()
        self._show_run()
        self._show_buttons()

    def _doing(self, value: Json) -> str:
        """Say what Lull trains now, or what it does next where nothing runs."""
        running = self.state.learning.get("state") == "working"
        waits = value.get("doing", "nothing") != "nothing" and not running
        words = translated(value)
        return tr("Next, when you're away: %1.", words.rstrip(".")) if words and waits else words

    def _show_chart(self) -> None:
        filled = [name for name, chart in self._charts.items() if not chart.empty]
        name = self._shown or (filled[0] if filled else ChartName.ANSWERS)
        self.chart.setCurrentIndex(self.chart.findData(name))
        chart = self._charts[name]
        narrowed = self.feed.is_filtered and name in OF_ANSWERS
        self.none.setText(
            tr("No answer that matches this filter has been scored yet.")
            if narrowed
            else chart.none
        )
        self.none.setVisible(chart.empty)
        self.means.setText(chart.meaning)
        self.means.setVisible(bool(chart.meaning) and not chart.empty)
        self.answers_of.setVisible(name in OF_ANSWERS)
        self.nearer.setEnabled(not chart.empty)
        self.chart.setToolTip(chart.about)
        self.beside.setVisible(not chart.empty)
        self.curves.show_chart(chart)
        set_heads(self.values, chart.heads)
        fill(self.values, [("", cells) for cells in chart.rows], select=False)

    def _choose(self) -> None:
        self._shown = ChartName(self.chart.currentData())
        self._show_chart()

    def _offer(self, answer: Reply) -> None:
        if answer.ok:
            kinds = answer.value
            self.answers_of.offer_kinds(kinds.get("clients") or (), kinds.get("models") or ())

    def _narrow(self) -> None:
        self._shown = ChartName(self.chart.currentData())  # it stays, also where it is empty now
        self.feed.set_filter(self.answers_of.query_params())

    def _runs(self) -> list[Json]:
        return list(self.state.value(Subject.RUNS).get("runs", ()))

    def _adapters(self) -> list[Json]:
        return list(self.state.value(Subject.ADAPTERS).get("adapters", ()))

    def _chosen_runs(self) -> list[Json]:
        names = selected_names(self.runs)
        return [run for run in self._runs() if run["id"] in names]

    def _show_run(self) -> None:
        runs = self._chosen_runs()
        words = run_words(runs[0]) if len(runs) == 1 else ""
        self.run_text.setText(words if self._runs() else tr("No run yet."))
        self.run_text.setVisible(bool(self.run_text.text()))
        self.cancel.setEnabled(len(runs) == 1 and runs[0]["status"] in CANCELLABLE)
        _offer_details(self.details, len(runs), tr("Select two runs (Ctrl) to compare them."))

    def _show_buttons(self) -> None:
        adapters = self._chosen_adapters()
        _offer_details(self.whole, len(adapters), tr("Select two adapters (Ctrl) to compare them."))
        adapter = self._adapter()
        active = self.state.value(Subject.ADAPTERS).get("active")
        self.adopt.setEnabled(adapter is not None and adapter["id"] != active)
        rejected = adapter is not None and adapter.get("accepted") is not True
        self.adopt.setText(tr("Adopt anyway") if rejected else tr("Adopt"))
        was = self.do.was_in_force(adapter)
        self.back.setText(tr("Roll back to this") if was else tr("Roll back"))
        self.back.setEnabled(bool(active) or was)
        self.base.setEnabled(bool(active))

    def _chosen_adapters(self) -> list[Json]:
        names = selected_names(self.adapters)
        return [one for one in self._adapters() if one["id"] in names]

    def _adapter(self) -> Json | None:
        """The selected adapter, or None unless exactly one is selected."""
        found = self._chosen_adapters()
        return found[0] if len(found) == 1 else None

    # Actions

    def _details(self) -> None:
        runs = self._chosen_runs()
        if runs:
            RunsDialog(self.kit, runs[:2], self).open()

    def _whole(self) -> None:
        adapters = self._chosen_adapters()
        if adapters:
            AdaptersDialog(self.kit, adapters[:2], self).open()

    def _cancel(self) -> None:
        for run in self._chosen_runs()[:1]:
            self.do.cancel(run)

    def _adopt(self) -> None:
        adapter = self._adapter()
        if adapter is not None:
            self.do.adopt(adapter)

    def _roll_back(self) -> None:
        adapter = self._adapter()
        to = str(adapter["id"]) if adapter is not None and self.do.was_in_force(adapter) else ""
        self.do.roll_back(to)

    # Export

    def _export(self, kind: str) -> None:
        dialog = QFileDialog(self, tr("Export"), f"lull-learning.{kind}")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(kind)
        dialog.fileSelected.connect(lambda path: self.export_to(Path(path)))
        dialog.open()

    def export_to(self, path: Path) -> None:
        """Write the chart that is shown to a file: an image if the suffix is .png, else its data as
        CSV.
        """
        name = ChartName(self.chart.currentData())
        try:
            if path.suffix == ".png":
                if not self.curves.snapshot().save(str(path), "PNG"):
                    raise OSError(0, tr("the image could not be saved"))
            elif name is ChartName.RUNS:
                path.write_text(csv_text(self._runs()), "utf-8")
            else:
                path.write_text(chart_csv(self._charts[name]), "utf-8")
        except OSError as error:
            text = tr("Not exported: %1", error.strerror or error)
            self.state.told.emit(OutcomeMessage(text=text, good=False))
            return
        self.state.told.emit(OutcomeMessage(text=tr("Exported to %1.", path.name)))


def _offer_details(details: QPushButton, chosen: int, how: str) -> None:
    """Enable the button for one selected row (details) or two (compare)."""
    details.setEnabled(chosen in (1, 2))
    details.setText(tr("Compare…") if chosen == 2 else tr("Details…"))
    details.setToolTip(how)


def _periods() -> list[tuple[str, int]]:
    return [
        (tr("4 weeks"), LEARNING_FEED_DAYS),
        (tr("1 week"), 7),
        (tr("3 months"), 91),
        (tr("From the beginning"), 0),
    ]


def _smoothings() -> list[tuple[str, float]]:
    """Return the choices for smoothing a chart, each as (text, weight of the newest value in the
    running mean).
    """
    return [(tr("Not smoothed"), 1.0), (tr("Smoothed"), 0.3), (tr("Strongly smoothed"), 0.08)]
