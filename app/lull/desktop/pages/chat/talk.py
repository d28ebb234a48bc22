"""The Chat page of Lull's window, on which the user chats with a model; the requests go through
Lull like those of any chat app.

Its conversations are recorded and learned from like those of any chat app; Lull's window is named
as the client. A recorded answer is shown with the names of the skills that were in its prompt; the
user can rate it, or make a skill of it.
"""

from __future__ import annotations

import json
import uuid
from typing import Final

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QCheckBox, QVBoxLayout

from lull.contract import routes
from lull.contract.chat_headers import SESSION_HEADER, SKILLS_HEADER, WINDOW_CLIENT
from lull.contract.json_object import Json
from lull.desktop.language.client_names import client_title
from lull.desktop.language.words import plain, tr
from lull.desktop.pages.chat.suggestions import SuggestionLink
from lull.desktop.pages.chat.turns_view import TurnsView, numbered_answers
from lull.desktop.service.client import Reply
from lull.desktop.service.state import OutcomeMessage, Phase, Subject
from lull.desktop.widgets.chat.answer_view import AnswerView
from lull.desktop.widgets.chat.chat_model import ChatModelChoice
from lull.desktop.widgets.chat.message_edit import MessageEdit
from lull.desktop.widgets.chat.streamed_chat import ChatAddress, StreamedChat
from lull.desktop.widgets.page import Kit, Page
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.tokens import GAP

ROUTE: Final = "/api/chat"
RECORDED: Final = "turn-recorded"
SCORED: Final = "scored"


class ChatPage(Page):
    """The Chat page of Lull's window: one conversation with a model; the user chooses whether
    skills (instruction texts) are put into its prompts.
    """

    subjects = (Subject.STATUS, Subject.MODELS, Subject.PROPOSALS)
    begins_in_text = True

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit, tr("Chat"))
        self._messages: list[dict[str, str]] = []
        """The conversation as it is sent to the model; the proxy recognises it by the session
        id.
        """
        self._answer = ""
        self._conversation = ""
        """Id of the conversation under which the newest answer was recorded."""
        self._session = ""
        self._recorded = 0
        """Number of the conversation's recorded turns."""
        self._wrong = ""
        self._chat = StreamedChat(self)
        self._make()
        self._lay_out()
        self._chat.grown.connect(self._grow)
        self._chat.thinking.connect(self.answer.think)
        self._chat.ended.connect(self._ended)
        kit.state.happened.connect(self._happened)
        self.start_anew()

    def _make(self) -> None:
        self.models = ChatModelChoice(self.state)
        self.with_skills = QCheckBox(tr("With skills"))
        self.with_skills.setAccessibleName(tr("With skills"))
        self.with_skills.setChecked(True)
        self.with_skills.setToolTip(
            tr("A conversation keeps its skills, so changing this starts a new conversation.")
        )
        self.with_skills.toggled.connect(self.start_anew)
        self.anew = button(tr("New conversation"), self._begin_anew)
        self.turns = TurnsView(self.kit, after=self.anew)
        self.turns.changed.connect(self._read)
        self.turns.correcting.send = self._correct
        self.suggested = SuggestionLink(self.kit)
        self.answer = AnswerView(tr("The answer"))
        self.text = MessageEdit()
        self.text.setAccessibleName(tr("Your message"))
        self.text.setPlaceholderText(
            tr("Write a message. Enter sends it, Shift+Enter begins a new line.")
        )
        self.text.sent.connect(self._send)
        self.text.textChanged.connect(self._look_at_buttons)
        self.send = button(tr("Send"), self._send, main=True)
        self.halt = button(tr("Stop"), self._stop)

    def _lay_out(self) -> None:
        words = tr(
            "Recorded under Conversations with “%1” as the chat app; Lull learns from it as from "
            "any other.",
            client_title(WINDOW_CLIENT),
        )
        box = QVBoxLayout(self.body)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(GAP)
        box.addWidget(label(words, "small", wrap=True))
        model = label(tr("Model"), "muted")
        box.addLayout(row(model, self.models, self.with_skills, None, self.anew))
        self.how = label(
            tr(
                "Ask something. If the answer is not what you want, say so in your next message, "
                "such as “no, use dashes”: that is what Lull learns from."
            ),
            "muted",
            wrap=True,
        )
        box.addWidget(self.how)
        box.addWidget(self.turns, 2)
        box.addWidget(self.answer, 1)
        box.addLayout(row(self.suggested, None))
        # Not in the body, which scrolls in a small window: one always sees where to write.
        self.foot_box.addWidget(self.text)
        self.foot_box.addLayout(row(None, self.halt, self.send))

    def focus_search(self) -> None:
        self.text.setFocus()

    def draft(self) -> str:
        """Return what is in the text box, and the conversation that it would go on."""
        text, messages = self.text.toPlainText(), self._messages
        if self._chat.busy:  # what is being answered ends with this window
            text, messages = text or messages[-1]["content"], messages[:-1]
        goes_on = {
            "conversation": self._conversation,
            "session": self._session,
            "messages": messages,
            "skills": self.with_skills.isChecked(),
            "correcting": self.turns.correcting.begun,
        }
        begun = {"text": text, **(goes_on if self._conversation and messages else {})}
        return json.dumps(begun) if text or len(begun) > 1 else ""

    def take_draft(self, written: str) -> None:
        begun = json.loads(written)
        if "session" in begun:
            self.with_skills.setChecked(begun["skills"])  # which begins anew
            self._session, self._conversation = begun["session"], begun["conversation"]
            self._messages = begun["messages"]
            self.turns.correcting.take(begun["correcting"])
            self.how.hide()
            self._read()
        self.text.setPlainText(begun["text"])
        self.text.moveCursor(QTextCursor.MoveOperation.End)

    def take_focus(self) -> None:
        """Move the keyboard focus to the text box: on this page one writes."""
        (self.text if self.showing_body else self).setFocus()

    # Showing

    def show_content(self) -> None:
        if self.hasFocus():  # the text box was not there yet when the page was opened
            self.text.setFocus()
        self.models.refresh()
        self._look_at_buttons()
        self.suggested.look_at(self.turns.shown)

    def _look_at_buttons(self) -> None:
        ready = self.state.phase is Phase.LIVE and bool(self.models.chosen)
        written = bool(self.text.toPlainText().strip())
        self.send.setEnabled(ready and written and not self._chat.busy)
        self.halt.setEnabled(self._chat.busy)

    # The conversation

    def start_anew(self) -> None:
        """Begin a new conversation on the Chat page; the previous one stays on the Conversations
        page.
        """
        self._chat.stop()
        self._messages, self._answer, self._conversation = [], "", ""
        self._recorded, self._wrong = 0, ""
        self._session = f"window-{uuid.uuid4().hex}"
        self.turns.clear()
        self.turns.show()
        self.how.show()
        self.answer.hide()
        self.suggested.hide()
        self._look_at_buttons()

    def _begin_anew(self) -> None:
        self.start_anew()
        self.text.setFocus()

    def _send(self) -> None:
        if not self.send.isEnabled():
            return
        text = self.text.toPlainText().strip()
        self.text.clear()
        self._say(text)

    def _correct(self, text: str) -> bool:
        """Send the user's correction of the newest answer; return whether it could be sent."""
        ready = self.state.phase is Phase.LIVE and bool(self.models.chosen)
        if not ready or self._chat.busy:
            words = tr("Not sent: wait until the model has answered.")
            self.state.told.emit(OutcomeMessage(text=words, good=False))
            return False
        self._say(text)
        return True

    def _say(self, text: str) -> None:
        """Send a message of the user's to the model."""
        self._messages.append({"role": "user", "content": text})
        self._answer = ""
        self.answer.show_waiting("")
        self.answer.skills.setText(tr("You: %1", plain(text)))
        self.answer.begin()
        self.how.hide()
        # The first answer is written where it stands once it is recorded.
        self.turns.setVisible(bool(self.turns.shown))
        self.answer.show()
        self.turns.to_end()
        self.text.setFocus()
        session = self._session
        self.state.get(routes.TOKEN, lambda reply: self._post(session, reply))

    def _post(self, session: str, reply: Reply) -> None:
        if session != self._session:
            return
        headers = {SESSION_HEADER: session}
        if not self.with_skills.isChecked():
            headers[SKILLS_HEADER] = "no"
        token = str(reply.value.get("token") or "")
        to = ChatAddress(address=self.kit.actions.address, token=token, headers=headers)
        body = {"model": self.models.chosen, "messages": self._messages, "stream": True}
        self._chat.send(to, ROUTE, json.dumps(body))
        self._look_at_buttons()

    def _grow(self, piece: str) -> None:
        self._answer += piece
        self.answer.grow(piece)

    def _ended(self, wrong: str) -> None:
        self._wrong = wrong
        self.answer.end(wrong)
        if self._answer:
            self._messages.append({"role": "assistant", "content": self._answer})
        else:  # it is asked again as if it had not been said
            self.text.setPlainText(self._messages.pop()["content"])
        self._look_at_buttons()
        self._settle()

    def _stop(self) -> None:
        if self._chat.busy:
            self._chat.stop()
            self._ended(tr("Stopped."))

    # What was recorded of it

    def _happened(self, event: Json) -> None:
        if event.get("kind") == SCORED and self._conversation and not self._chat.busy:
            self._read()
        if event.get("kind") == RECORDED and self._messages:
            conversation = str(event["fields"].get("conversation") or "")
            if self._conversation in ("", conversation):
                session = self._session
                self.state.get(
                    routes.CONVERSATION.format(id=conversation),
                    lambda reply: self._take(session, reply),
                )

    def _read(self) -> None:
        session = self._session
        self.state.get(
            routes.CONVERSATION.format(id=self._conversation),
            lambda reply: self._take(session, reply),
        )

    def _take(self, session: str, reply: Reply) -> None:
        if session != self._session or not reply.ok or not self._messages:
            return
        shown = reply.value
        asked = [one["content"] for one in self._messages if one["role"] == "user"]
        if shown.get("client") != WINDOW_CLIENT or not shown.get("turns"):
            return
        if not self._conversation and shown["turns"][0].get("request") != asked[0]:
            return  # another window's
        self._conversation = str(shown["id"])
        recorded = numbered_answers(shown)[-1][0]
        grown = recorded > self._recorded
        self._recorded = recorded
        reads_end = self.turns.at_end
        self.turns.show()
        if shown != self.turns.shown:
            self.turns.show_conversation(shown)
        if grown and reads_end:
            self.turns.to_end()
        self.suggested.look_at(self.turns.shown)
        self._settle()

    def _settle(self) -> None:
        """Hide the view of the streamed answer once that answer is shown among the recorded
        turns.
        """
        asked = sum(one["role"] == "user" for one in self._messages)
        if not self._chat.busy and not self._wrong and self._recorded >= asked:
            self.answer.hide()
