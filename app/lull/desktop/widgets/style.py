"""Builds Qt's palette and style sheet from the window's colour theme, which follows the system's
light or dark mode unless the user chose a theme.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import QObject, QSettings, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from lull.desktop.widgets.tokens import (
    BODY_PT,
    DARK,
    FIGURE_PT,
    HEAD_PT,
    LIGHT,
    MONO,
    RADIUS,
    SMALL_PT,
    TITLE_PT,
    Theme,
)
from lull.resources import icons_dir

TEXT_SIZE: Final = "look/text-percent"
"""Key in the window's preferences: the size of texts, in percent of the usual."""
THEME: Final = "look/theme"
"""Key in the window's preferences of the theme: the name of one of `THEMES`, or "system"."""
THEMES: Final[Mapping[str, Theme]] = {theme.name: theme for theme in (LIGHT, DARK)}


class ThemeInForce(QObject):
    """The application's current colour theme and text size.

    The theme follows the system's light or dark mode unless the user chose one.
    """

    changed = Signal()

    def __init__(
        self, app: QApplication, forced: Theme | None = None, *, text_percent: int = 100
    ) -> None:
        super().__init__()
        self._app = app
        self.text_percent = text_percent
        """Size of all texts, in percent of the usual."""
        self._forced = forced
        self.theme = forced or _of_the_system()
        if not app.styleSheet():  # no window before this one
            app.setStyle("Fusion")  # looks the same on every platform
        # No animations in menus and lists either, which also serves users who asked the system
        # for reduced motion.
        app.setEffectEnabled(Qt.UIEffect.UI_General, False)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow)
        self._wear()

    def set_theme(self, theme: Theme | None) -> None:
        """Use this colour theme whatever the system's mode is; with None the theme follows the
        system again.
        """
        self._forced = theme
        self._follow()

    def end(self) -> None:
        """Follow the system's mode no longer: the window is closed."""
        QGuiApplication.styleHints().colorSchemeChanged.disconnect(self._follow)

    def size_text(self, percent: int) -> None:
        """Scale all texts of the window to this size, in percent of the usual one."""
        self.text_percent = percent
        self._wear()
        self.changed.emit()

    def _follow(self) -> None:
        theme = self._forced or _of_the_system()
        if theme is not self.theme:
            self.theme = theme
            self._wear()
            self.changed.emit()

    def _wear(self) -> None:
        wanted = sheet(self.theme, text_percent=self.text_percent)
        if wanted == self._app.styleSheet():
            return
        # In place of another sheet Qt would style each widget anew for each one that it lies in.
        self._app.setStyleSheet("")
        self._app.setPalette(palette(self.theme))
        font = QFont(self._app.font())
        font.setPointSizeF(BODY_PT * self.text_percent / 100)
        self._app.setFont(font)
        self._app.setStyleSheet(wanted)


def chosen_theme(preferences: QSettings) -> Theme | None:
    """Return the colour theme that the user chose in the preferences; None if the window follows
    the system's mode.
    """
    return THEMES.get(str(preferences.value(THEME, "")))


def _of_the_system() -> Theme:
    dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return DARK if dark else LIGHT


def mono() -> QFont:
    """Return the font for code and diffs, whose characters are all equally wide."""
    font = QFont()
    font.setFamilies(list(MONO))
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPointSizeF(small_pt())
    return font


def small_pt() -> float:
    """Return the font size of small texts in points, scaled to the text size that the user
    chose.
    """
    return QGuiApplication.font().pointSizeF() * SMALL_PT / BODY_PT


def palette(theme: Theme) -> QPalette:
    """Return Qt's colours for a theme."""
    role = QPalette.ColorRole
    made = QPalette()
    colours = {
        role.Window: theme.page,
        role.WindowText: theme.text,
        role.Base: theme.card,
        role.AlternateBase: theme.page,
        role.Text: theme.text,
        role.Button: theme.card,
        role.ButtonText: theme.text,
        role.BrightText: theme.on_accent,
        role.ToolTipBase: theme.card,
        role.ToolTipText: theme.text,
        role.PlaceholderText: theme.muted,
        role.Highlight: theme.chosen,
        role.HighlightedText: theme.text,
        role.Link: theme.accent,
        role.LinkVisited: theme.accent,
        role.Accent: theme.accent,
        role.Mid: theme.line,
        role.Dark: theme.edge,
    }
    for which, colour in colours.items():
        made.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, which, QColor(theme.muted))
    return made


def sheet(theme: Theme, *, text_percent: int = 100) -> str:
    """Return Qt's style sheet, with each `@name` replaced by that colour of the theme."""
    text = re.sub(r"([\d.]+)pt", lambda size: f"{float(size[1]) * text_percent / 100:g}pt", _SHEET)
    text = text.replace("@icons", icons_dir().as_posix())
    # Longest first, so that @good does not match the start of @good_back.
    for name in sorted(Theme.__slots__, key=len, reverse=True):
        text = text.replace(f"@{name}", str(getattr(theme, name)))
    return text


_SHEET: Final = f"""
QWidget {{ color: @text; }}
QMainWindow, QDialog, #page, #pageBody, #stack {{ background: @page; }}
QScrollArea, QScrollArea > QWidget > QWidget {{ background: transparent; border: 0; }}
QToolTip {{ background: @card; color: @text; border: 1px solid @line; padding: 4px; }}

#side {{ background: @side; border-right: 1px solid @line; }}
#side QPushButton, #side QRadioButton {{
    text-align: left; padding: 8px 10px; border: 2px solid transparent; border-radius: {RADIUS}px;
    background: transparent; color: @text;
}}
#side QPushButton:hover, #side QRadioButton:hover {{ background: @hover; }}
#side QRadioButton[chosen="true"] {{ background: @chosen; color: @accent; font-weight: 600; }}
#side QPushButton:focus, #side QRadioButton:focus {{ border-color: @accent; }}
#brand {{ font-size: {HEAD_PT}pt; font-weight: 700; }}
#statusLine {{ background: @side; border-top: 1px solid @line; }}
#statusLine QLabel {{ color: @muted; font-size: {SMALL_PT}pt; }}

QLabel[kind="title"] {{ font-size: {TITLE_PT}pt; font-weight: 650; }}
QLabel[kind="head"] {{ font-size: {HEAD_PT}pt; font-weight: 600; }}
QLabel[kind="figure"] {{ font-size: {FIGURE_PT}pt; font-weight: 600; }}
QLabel[kind="muted"] {{ color: @muted; }}
QLabel[kind="small"] {{ color: @muted; font-size: {SMALL_PT}pt; }}
QLabel[kind="good"] {{ color: @good; }}
QLabel[kind="bad"] {{ color: @bad; }}
QLabel[kind="warn"] {{ color: @warn; }}
QLabel[chip="good"], QLabel[chip="bad"], QLabel[chip="warn"], QLabel[chip="plain"] {{
    border-radius: 9px; padding: 1px 9px; font-size: {SMALL_PT}pt; font-weight: 600;
}}
QLabel[chip="good"] {{ background: @good_back; color: @good; }}
QLabel[chip="bad"] {{ background: @bad_back; color: @bad; }}
QLabel[chip="warn"] {{ background: @warn_back; color: @warn; }}
QLabel[chip="plain"] {{ background: @hover; color: @muted; }}

QFrame[card="true"] {{
    background: @card; border: 1px solid @line; border-radius: {RADIUS + 2}px;
}}
QFrame[banner="bad"] {{ background: @bad_back; border: 0; border-bottom: 1px solid @line; }}
QFrame[banner="warn"] {{ background: @warn_back; border: 0; border-bottom: 1px solid @line; }}
QFrame[banner="bad"] QLabel, QFrame[banner="warn"] QLabel {{ color: @text; }}
QFrame[toast="good"] {{
    background: @text; border: 0; border-radius: {RADIUS}px;
}}
QFrame[toast="bad"] {{
    background: @bad_back; border: 1px solid @bad; border-radius: {RADIUS}px;
}}
QFrame[toast="good"] QLabel {{ color: @card; }}
QFrame[toast="good"] QPushButton {{
    background: transparent; color: @card; border: 2px solid @card; padding: 3px 10px;
}}

QPushButton {{
    background: @card; border: 1px solid @edge; border-radius: {RADIUS - 2}px;
    padding: 6px 14px; color: @text;
}}
QPushButton:hover {{ background: @hover; }}
QPushButton:pressed {{ background: @chosen; }}
QPushButton:focus {{ border: 2px solid @accent; padding: 5px 13px; }}
QPushButton:disabled {{ color: @muted; border-color: @line; background: @page; }}
QPushButton[main="true"] {{
    background: @accent; color: @on_accent; border-color: @accent; font-weight: 600;
}}
QPushButton[main="true"]:focus {{ border: 2px solid @text; padding: 5px 13px; }}
QPushButton[main="true"]:disabled {{ background: @hover; color: @muted; border-color: @line; }}
QPushButton[flat="true"] {{
    border: 2px solid transparent; background: transparent; color: @accent; padding: 4px 8px;
}}
QPushButton[flat="true"]:hover {{ background: @hover; }}
QPushButton[flat="true"]:focus {{ border-color: @accent; }}
QPushButton[flat="true"]:disabled {{ color: @muted; }}
QPushButton[flat="true"]:checked {{ background: @chosen; color: @text; }}
QRadioButton[tab="true"] {{
    border: 2px solid transparent; border-radius: {RADIUS - 2}px; color: @accent; padding: 4px 8px;
    spacing: 0; outline: 0;
}}
QRadioButton[tab="true"]:hover {{ background: @hover; }}
QRadioButton[tab="true"]:focus {{ border-color: @accent; }}
QRadioButton[chosen="true"] {{ background: @chosen; color: @text; }}

QLineEdit, QPlainTextEdit, QTextEdit, QTextBrowser, QComboBox, QSpinBox, QListView,
QTableView {{
    background: @card; color: @text; border: 1px solid @line; border-radius: {RADIUS - 2}px;
    selection-background-color: @chosen; selection-color: @text;
}}
QLineEdit, QComboBox, QSpinBox {{ border-color: @edge; padding: 5px 8px; }}
QLineEdit, QPlainTextEdit, QTextEdit {{ placeholder-text-color: @muted; }}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QTextBrowser:focus, QComboBox:focus,
QSpinBox:focus, QListView:focus, QTableView:focus {{ border: 2px solid @accent; }}
QLineEdit:focus, QComboBox:focus, QSpinBox:focus {{ padding: 4px 7px; }}
QComboBox {{ combobox-popup: 0; }}
QTextEdit[flat="true"] {{ background: transparent; border: 2px solid transparent; padding: 0; }}
QTextEdit[flat="true"]:focus {{ border-color: @accent; }}
QComboBox QAbstractItemView, QComboBox QAbstractItemView:focus {{
    background: @card; border: 1px solid @edge;
}}
QComboBox QLineEdit, QComboBox QLineEdit:focus {{ border: 0; padding: 0; background: transparent; }}
QListView, QTableView {{ outline: 0; }}
QListView::item {{ padding: 8px 10px; border-bottom: 1px solid @line; }}
QListView::item:hover, QTableView::item:hover {{ background: @hover; }}
QListView::item:selected, QTableView::item:selected {{ background: @chosen; color: @text; }}
QTableView {{ gridline-color: transparent; alternate-background-color: @page; }}
QTableView::item {{ padding: 4px 8px; }}
QHeaderView::section {{
    background: @card; color: @muted; border: 0; border-bottom: 1px solid @line; padding: 6px 11px;
    font-size: {SMALL_PT}pt; font-weight: 600;
}}
QPushButton, QCheckBox, QRadioButton, QComboBox {{ outline: 0; }}
QCheckBox, QRadioButton {{
    spacing: 8px; padding: 3px; border: 2px solid transparent; border-radius: 4px;
}}
QCheckBox:focus, QRadioButton:focus {{ border-color: @accent; }}
QCheckBox::indicator {{
    width: 14px; height: 14px; border: 1px solid @edge; border-radius: 3px; background: @card;
}}
QCheckBox::indicator:checked {{
    background: @accent; border-color: @accent; image: url("@icons/check-@name.svg");
}}
QRadioButton::indicator {{
    width: 10px; height: 10px; border: 1px solid @edge; border-radius: 6px; background: @card;
}}
QRadioButton::indicator:checked {{
    width: 4px; height: 4px; border: 4px solid @accent; background: @card;
}}
QRadioButton[tab="true"]::indicator, QRadioButton[tab="true"]::indicator:checked {{
    width: 0; height: 0; border: 0;
}}
QComboBox::drop-down {{ border: 0; width: 22px; }}
QComboBox::down-arrow {{ image: url("@icons/down-@name.svg"); width: 10px; height: 10px; }}
QMenu {{ background: @card; border: 1px solid @line; padding: 4px; }}
QMenu::item {{ padding: 5px 22px; border-radius: 4px; }}
QMenu::item:selected {{ background: @chosen; }}
QMenu::item:disabled {{ color: @muted; }}
QMenu::separator {{ height: 1px; background: @line; margin: 4px 8px; }}
QSplitter::handle {{ background: transparent; }}
QProgressBar {{ background: @hover; border: 0; border-radius: 3px; max-height: 6px; }}
QProgressBar::chunk {{ background: @accent; border-radius: 3px; }}
QScrollBar:vertical {{ background: transparent; width: 11px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 11px; margin: 0; }}
QScrollBar::handle {{
    background: @edge; border-radius: 4px; margin: 2px; min-height: 28px; min-width: 28px;
}}
QScrollBar::add-line, QScrollBar::sub-line {{ height: 0; width: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""


def style_now(widget: QWidget) -> None:
    """Work out the styles of a widget and of all in it, which Qt would do when it shows them."""
    widget.ensurePolished()
    for one in widget.findChildren(QWidget):
        one.ensurePolished()
