"""Finds out whether a change of a setting would let data leave this computer, or let other
computers reach Lull, and asks the user before such a change.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtNetwork import QHostAddress
from PySide6.QtWidgets import QVBoxLayout, QWidget

from lull.desktop.language.words import plain, tr
from lull.desktop.widgets.fitted_dialog import FittedDialog
from lull.desktop.widgets.parts import button, label, row
from lull.desktop.widgets.tokens import GAP


def exposure_words(key: str, text: str, before: str = "") -> str:
    """Describe which data would leave this computer, or which other computers could reach Lull, if
    a setting got a new value.

    Returns "" for a harmless value. `key` names the setting; `text` is its new value and `before`
    its current one, in the form that `lull settings set` accepts.
    """
    allowed = {
        "judge.allow_remote": tr(
            "If the judge model runs on another computer, Lull will send conversations there to "
            "have them scored."
        ),
        "writer.allow_remote": tr(
            "If the model that writes skills runs on another computer, Lull will send "
            "conversations there in which an answer went wrong."
        ),
        "upstream.allow_remote_models": tr(
            "Lull will also record chats with models that run on other computers, and will send "
            "your skills along with them."
        ),
        "service.allow_network": tr(
            "Other computers in your network that have Lull's access token (a kind of password) "
            "can then reach Lull and use your models and skills."
        ),
    }
    if key in allowed:
        return allowed[key] if text == "true" else ""
    if key == "service.bind" and not _is_here(text):
        return tr("Lull will then listen in your network at %1, not only on this computer.", text)
    sent = {
        "upstream.address": tr("Every chat will then be sent to %1.", plain(text)),
        "judge.address": tr(
            "If you have allowed judging on another computer, Lull will then send conversations "
            "to %1 to have them scored.",
            plain(text),
        ),
        "writer.address": tr(
            "If you have allowed writing skills on another computer, Lull will then send %1 "
            "conversations in which an answer went wrong.",
            plain(text),
        ),
    }
    if key in sent:
        # What Qt cannot read as an address may be one for the service.
        return sent[key] if text and not _is_here(QUrl(text).host()) else ""
    if key == "service.allow_origins" and (new := _parts(text) - _parts(before)):
        pages = plain(", ".join(sorted(new)))
        return tr("Web pages from %1 may then use your models and skills through Lull.", pages)
    return ""


def _is_here(host: str) -> bool:
    """Whether a host is this computer."""
    return host == "localhost" or QHostAddress(host).isLoopback()


def _parts(text: str) -> set[str]:
    return {part.strip() for part in text.split(",")} - {""}


class ExposureDialog(FittedDialog):
    """Dialog that asks the user for consent to a change of a setting that lets data leave this
    computer or lets others reach Lull.

    The Enter key cancels.
    """

    given = Signal()
    """Emitted when the user agrees to the change of the setting."""

    def __init__(self, name: str, words: str, parent: QWidget) -> None:
        """Create the dialog for the setting called `name`; `words` says what the change would
        allow.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Allow this?"))
        self.words = label(words, wrap=True)
        self.words.setMinimumWidth(420)
        self.allow = button(tr("Allow"), self._give)
        self.allow.setAutoDefault(False)
        self.cancel = button(tr("Cancel"), self.reject, main=True)
        self.cancel.setDefault(True)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP * 3, GAP * 2, GAP * 3, GAP * 2)
        box.setSpacing(GAP)
        box.addWidget(label(name, "head", wrap=True))
        box.addWidget(self.words)
        box.addLayout(row(None, self.allow, self.cancel))
        self.cancel.setFocus()

    def _give(self) -> None:
        self.accept()
        self.given.emit()
