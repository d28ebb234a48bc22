"""The Conversations page: search, read, rate, exclude from learning and delete conversations.

A conversation's turns are loaded when it is opened.
"""

from __future__ import annotations

import functools
import json

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListView

from lull.contract import routes
from lull.contract.conversation_markdown import conversation_markdown
from lull.desktop.language.words import counted, plain, short_date, tr
from lull.desktop.pages.chat.conversation_filter import ConversationFilter
from lull.desktop.pages.chat.conversation_rows import ConversationRows
from lull.desktop.pages.chat.forget_dialog import ForgetDialog
from lull.desktop.pages.chat.suggestions import SuggestionLink
from lull.desktop.pages.chat.trash_dialog import TrashDialog
from lull.desktop.pages.chat.turns_view import TurnsView
from lull.desktop.service.client import Reply
from lull.desktop.service.state import OutcomeMessage, Subject, failure_words
from lull.desktop.widgets.columns import two_columns
from lull.desktop.widgets.page import Empty, Kit, Page, PageName
from lull.desktop.widgets.parts import button, label, row


class ConversationsPage(Page):
    """The Conversations page: a list of conversations, and the open one beside it."""

    subjects = (Subject.STATUS, Subject.CONVERSATIONS, Subject.PROPOSALS)

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, tr("Conversations"))
        self.rows = ConversationRows(kit.state)
        self.rows.answered.connect(self._read)
        self._open = ""
        self._reading = 0
        self._excluded = False
        """Whether the open conversation is kept out of learning."""
        self._asked = False
        self._news = False
        self._to_end = False
        """Whether End was pressed and pages of the list are still to come."""
        self.filter = ConversationFilter()
        self.filter.changed.connect(self._look_for)
        self.list = self._list()
        self.none = label("", "muted", wrap=True)
        self.view = TurnsView(kit, after=self.list)
        self.view.changed.connect(self._reload)
        self.suggested = SuggestionLink(kit)
        self.copy = button(tr("Copy as Markdown"), self._copy)
        self.exclude = button(tr("Keep out of learning"), self._exclude)
        self.forget = button(tr("Forget…"), self._forget)
        self.trash = button("", self._open_trash, flat=True)
        self.trash.hide()
        self.head.addWidget(self.trash)
        self._show_buttons()
        two_columns(
            self.body,
            (self.list, self.none),
            (self.view, row(self.suggested, None), row(self.copy, None, self.exclude, self.forget)),
            above=(self.filter,),
            sizes=(330, 600),
        )

    def _list(self) -> QListView:
        made = QListView()
        made.setModel(self.rows)
        made.setAccessibleName(tr("Conversations"))
        made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        made.setUniformItemSizes(True)  # so that Qt does not measure every row
        made.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        made.selectionModel().currentChanged.connect(self._moved)
        made.installEventFilter(self)
        return made

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Handle the End key in the list: select the last conversation, and load the rest of the
        list first if needed.
        """
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            self._to_end = event.key() == Qt.Key.Key_End
            if self._to_end:
                self._go_to_end()
                return True
        return super().eventFilter(watched, event)

    def _go_to_end(self) -> None:
        root = self.list.rootIndex()
        if self.rows.canFetchMore(root):
            self.rows.fetchMore(root)
        elif not self.rows.reading:
            self._to_end = False
            self.list.setCurrentIndex(self.rows.index(self.rows.rowCount() - 1))
            self.list.scrollToBottom()

    def focus_search(self) -> None:
        self.filter.search.setFocus()
        self.filter.search.selectAll()

    def draft(self) -> str:
        begun = self.view.correcting.begun
        return json.dumps({"conversation": self._open, **begun}) if begun else ""

    def take_draft(self, written: str) -> None:
        begun = json.loads(written)
        self._open = begun["conversation"]
        self.view.correcting.take(begun)
        self._reload()

    # Showing

    def empty(self) -> Empty | None:
        if self.state.status.get("conversations"):
            return None
        text = tr(
            "In your chat app, enter %1 instead of Ollama's address.", self.kit.actions.address
        )
        copy = (tr("Copy address"), self.kit.actions.copy_address)
        connect = (tr("Connect a chat app"), lambda: self.kit.go(PageName.CONNECT))
        chat = (tr("Chat here"), lambda: self.kit.go(PageName.CHAT))
        return Empty(head=tr("No conversations yet"), text=text, offers=(copy, connect, chat))

    def show_head(self) -> None:
        held = int((self.state.status.get("trash") or {}).get("conversations") or 0)
        words = counted(
            held, "%1 old conversation in the trash…", "%1 old conversations in the trash…"
        )
        self.trash.setText(words)
        self.trash.setAccessibleName(words)
        self.trash.setVisible(held > 0)

    def _open_trash(self) -> None:
        TrashDialog(self.state, self).open()

    def show_content(self) -> None:
        skills = self.state.value(Subject.SKILLS).get("skills", ())
        self.filter.offer_skills(sorted({str(skill["name"]) for skill in skills}))
        self.suggested.look_at(self.view.shown)
        if not self._asked:
            self._asked = True
            self.state.get(routes.CONVERSATION_KINDS, self._offer)
            self._look_for()
        elif self._news:
            self._read_news()

    def _offer(self, answer: Reply) -> None:
        if answer.ok:
            self.filter.set_options(answer.value.get("clients", ()), answer.value.get("models", ()))

    def _hear(self, subject: str) -> None:
        if subject == Subject.CONVERSATIONS and self._asked:
            self._news = True
        super()._hear(subject)

    def _read_news(self) -> None:
        """Read the newest conversations and the open one again: something was recorded or scored,
        perhaps while another page was shown.
        """
        self._news = False
        self.rows.reload()
        self._reload()

    def _look_for(self) -> None:
        self._to_end = False
        self.view.mark(self.filter.search.text().strip())
        self.rows.load_matching(self.filter.query())

    def _read(self) -> None:
        if self.rows.error:
            self.none.setText(self.rows.error)
        else:
            self.none.setText("" if self.rows.rows else tr("Nothing found."))
        self.none.setVisible(bool(self.none.text()))
        if self.rows.rows and not self.list.currentIndex().isValid():
            again = max(0, self.rows.line_of(self._open))
            self.list.setCurrentIndex(self.rows.index(again))
        self._go_on_at_the_end()

    def _go_on_at_the_end(self) -> None:
        """Load more conversations if the list is scrolled to its end.

        Qt asks for more only on scrolling, so nothing would follow if the end was reached while a
        page was being loaded.
        """
        if self._to_end:
            self._go_to_end()
            return
        bar, root = self.list.verticalScrollBar(), self.list.rootIndex()
        if 0 < bar.maximum() == bar.value() and self.rows.canFetchMore(root):
            self.rows.fetchMore(root)

    def _moved(self, current: QModelIndex, _: QModelIndex) -> None:
        if not current.isValid():
            return
        row = self.rows.rows[current.row()]
        if row["id"] != self._open:
            self._open, self._excluded = row["id"], bool(row.get("excluded"))
            self._reload()
        self._show_buttons()

    def _show_buttons(self) -> None:
        for one in (self.copy, self.exclude, self.forget):
            one.setEnabled(bool(self._open))
        words = tr("Include in learning again") if self._excluded else tr("Keep out of learning")
        self.exclude.setText(words)
        self.exclude.setAccessibleName(words)

    def _reload(self) -> None:
        if self._open:
            self._reading += 1
            then = functools.partial(self._take, self._reading)
            self.state.get(routes.CONVERSATION.format(id=self._open), then)

    def _take(self, number: int, answer: Reply) -> None:
        if number != self._reading:
            return  # another conversation was opened since, or this one read again
        if answer.ok:
            self._excluded = bool(answer.value.get("excluded"))
            self._show_buttons()
            if answer.value != self.view.shown:
                self.view.show_conversation(answer.value)
            self.suggested.look_at(answer.value)
        else:
            self.state.told.emit(OutcomeMessage(text=plain(failure_words(answer)), good=False))

    def _copy(self) -> None:
        if self.view.shown is not None:
            text = conversation_markdown(self.view.shown, time=short_date)
            self.kit.actions.copy(text, tr("Copied the conversation."))

    # Keeping out of learning

    def _exclude(self) -> None:
        if self._open:
            self._set_excluded(self._open, not self._excluded)

    def _set_excluded(self, conversation: str, excluded: bool) -> None:
        done = tr("Included in learning again.")
        if excluded:
            done = tr(
                "Kept out of learning. What was made from it before stays; Forget removes it."
            )

        def then(_: bool) -> None:
            self._reload()
            self.rows.reload()

        self.state.act(
            routes.CONVERSATION_EXCLUDE.format(id=conversation),
            {"excluded": excluded},
            words=tr("Keeping out of learning")
            if excluded
            else tr("Including it in learning again"),
            done=done,
            undo=lambda: self._set_excluded(conversation, not excluded),
            then=then,
        )

    # Forgetting

    def _forget(self) -> None:
        if self._open:
            then = functools.partial(self._confirm, self._open)
            self.state.ask(routes.FORGET, {"conversation": self._open}, then)

    def _confirm(self, conversation: str, answer: Reply) -> None:
        if not answer.ok:
            self.state.told.emit(OutcomeMessage(text=plain(failure_words(answer)), good=False))
            return
        dialog = ForgetDialog(answer.value, self)
        dialog.agreed.connect(lambda: self._forgotten(conversation))
        dialog.open()

    def _forgotten(self, conversation: str) -> None:
        def then(done: bool) -> None:
            if done and self._open == conversation:
                self._open = ""
                self._reading += 1
                self.view.clear()
                self.suggested.look_at(None)
                self._show_buttons()
            self._look_for()
            self.state.touch(Subject.STATUS, Subject.SKILLS, Subject.ADAPTERS)

        self.state.act(
            routes.FORGET,
            {"conversation": conversation, "yes": True},
            words=tr("Forgetting"),
            done=tr("Forgotten, along with all that was made from it."),
            then=then,
        )
