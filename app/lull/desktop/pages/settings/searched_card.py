"""Cards of the Settings page that its search finds by every text on them."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QWidget

from lull.desktop.language.words import in_english
from lull.desktop.pages.settings.finding import Query, said_in
from lull.desktop.widgets.parts import Card


def texts_on(widget: QWidget) -> Iterator[str]:
    """Yield the texts that a widget shows, the choices of its lists and the names of its fields; a
    text of the window in another language is also yielded in English.
    """
    for text in _shown_on(widget):
        yield text
        yield in_english(text)


def _shown_on(widget: QWidget) -> Iterator[str]:
    for one in (widget, *widget.findChildren(QWidget)):
        if one is not widget and not one.isVisibleTo(widget):
            continue
        yield one.accessibleName()
        if isinstance(one, (QLabel, QAbstractButton)):
            yield one.text()
        elif isinstance(one, QComboBox):
            yield from (one.itemText(n) for n in range(one.count()))


class SearchedCard(Card):
    """A card that the search shows as a whole, if its texts match."""

    def look_for(self, query: Query) -> bool:
        """Show the card if its texts match a search, else hide it; return whether it is shown."""
        found = query.fits(said_in(texts_on(self)))
        self.setVisible(found)
        return found
