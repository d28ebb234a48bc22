"""What a test says that waited in vain: for what, and what the window showed meanwhile."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable

from PySide6.QtWidgets import QAbstractButton, QDialog, QLabel, QWidget

from lull.desktop.window import MainWindow

MOST_LINES = 40


def in_vain(holds: Callable[[], object], waited_s: float, window: MainWindow) -> str:
    """Describe a wait that ended without what it waited for."""
    page = window.page()
    dialogs = [one for one in window.findChildren(QDialog) if one.isVisible()]
    shown = [f"page {type(page).__name__}:", *seen(page)]
    for dialog in dialogs:
        shown += [f"dialog {type(dialog).__name__}:", *seen(dialog)]
    lines = "\n  ".join(shown[:MOST_LINES])
    return f"not so after {waited_s:.0f} s:\n{source(holds)}\nThe window shows\n  {lines}"


def source(holds: Callable[[], object]) -> str:
    """Return the line of code that stands for `holds`, or its name where there is none."""
    try:
        return textwrap.dedent(inspect.getsource(holds)).rstrip()
    except (OSError, TypeError):
        return repr(holds)


def seen(root: QWidget) -> list[str]:
    """Return the texts of what is visible of a widget, each once."""
    parts = root.findChildren(QLabel) + root.findChildren(QAbstractButton)
    texts = (" ".join(one.text().split()) for one in parts if one.isVisible())
    return list(dict.fromkeys(text for text in texts if text))
