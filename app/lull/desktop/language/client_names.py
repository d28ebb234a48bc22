"""Names the chat apps that conversations come from, as the window shows them."""

from __future__ import annotations

from lull.contract.chat_headers import WINDOW_CLIENT
from lull.desktop.language.words import plain, tr

TEST_CLIENT = "lull-connect"
"""Name under which the test of a connection is recorded."""


def client_title(name: object) -> str:
    """Return the name of a chat app as a person knows it: the window's own chat has the name of its
    page.
    """
    match str(name):
        case name if name == WINDOW_CLIENT:
            return tr("Chat")
        case name if name == TEST_CLIENT:
            return tr("Connection test")
    return plain(str(name))
