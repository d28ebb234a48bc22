"""All colours (light and dark), distances and font sizes of the window.

The allowed combinations of colours are listed too. A test checks their contrast: at least 4.5:1 for
text, 3:1 for marks and edges (WCAG 2.2, 1.4.3 and 1.4.11).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """A colour theme, with colours as `#rrggbb`."""

    name: str
    page: str
    """Background colour of the window."""
    card: str
    side: str
    """Background colour of the sidebar and the status line."""
    text: str
    muted: str
    line: str
    """Colour of separator lines, which carry no meaning."""
    edge: str
    """Colour of the borders of controls."""
    accent: str
    on_accent: str
    chosen: str
    """Background colour of selected items."""
    hover: str
    good: str
    bad: str
    warn: str
    good_back: str
    bad_back: str
    warn_back: str
    good_mark: str
    """Background colour of the words that were added in a changed line."""
    bad_mark: str
    """Background colour of the words that were removed in a changed line."""
    mark: str
    """Background colour of a marked passage of text."""
    curve_a: str
    curve_b: str
    curve_c: str


LIGHT: Final = Theme(
    name="light",
    page="#faf9f7",
    card="#ffffff",
    side="#f1efeb",
    text="#1f2328",
    muted="#5b6069",
    line="#e2dfd9",
    edge="#85898f",
    accent="#2b5fa8",
    on_accent="#ffffff",
    chosen="#e0e9f6",
    hover="#ebe8e3",
    good="#1d6a3e",
    bad="#a52a20",
    warn="#7c5100",
    good_back="#e3f3e8",
    bad_back="#fae6e3",
    warn_back="#faf0d7",
    good_mark="#aeddbf",
    bad_mark="#f2b8b0",
    mark="#ffefad",
    curve_a="#2b5fa8",
    curve_b="#b0560f",
    curve_c="#1d6a3e",
)

DARK: Final = Theme(
    name="dark",
    page="#191b1f",
    card="#212429",
    side="#141619",
    text="#e9e8e5",
    muted="#a6abb3",
    line="#33373d",
    edge="#777d86",
    accent="#8cb6f5",
    on_accent="#10213a",
    chosen="#2b3a51",
    hover="#292d33",
    good="#82d09d",
    bad="#f3a59c",
    warn="#e6bd70",
    good_back="#1c3326",
    bad_back="#402422",
    warn_back="#3a2f18",
    good_mark="#2c5f43",
    bad_mark="#733833",
    mark="#54471a",
    curve_a="#8cb6f5",
    curve_b="#f0aa6c",
    curve_c="#82d09d",
)

TEXT_ON: Final = (
    *(("text", back) for back in ("page", "card", "side", "chosen", "hover", "mark")),
    *(("text", back) for back in ("good_back", "bad_back", "warn_back")),
    *(("text", back) for back in ("good_mark", "bad_mark")),
    *(("muted", back) for back in ("page", "card", "side", "chosen", "hover")),
    *(("accent", back) for back in ("page", "card", "side", "chosen")),
    ("on_accent", "accent"),
    *(("good", back) for back in ("page", "card", "good_back")),
    *(("bad", back) for back in ("page", "card", "bad_back")),
    *(("warn", back) for back in ("page", "card", "warn_back")),
)
"""(Text colour, background) pairs whose contrast must reach 4.5:1."""
SEEN_ON: Final = (
    *(("edge", back) for back in ("page", "card")),
    *(("accent", back) for back in ("page", "card", "side", "hover")),
    *((curve, "card") for curve in ("curve_a", "curve_b", "curve_c")),
)
"""(Colour, background) pairs of marks, focus rings, borders and curves.

Their contrast must reach 3:1.
"""

GAP: Final = 8
"""Base distance in pixels; all distances are multiples of half of it."""
PAGE_MARGIN: Final = 24
RADIUS: Final = 8

SMALL_PT: Final = 9.5
BODY_PT: Final = 10.5
HEAD_PT: Final = 13.0
TITLE_PT: Final = 18.0
FIGURE_PT: Final = 20.0
"""Font size in points of a number that stands alone."""
MONO: Final = ("Menlo", "DejaVu Sans Mono", "Consolas", "monospace")


def contrast(one: str, other: str) -> float:
    """Return WCAG 2.2's contrast ratio of two `#rrggbb` colours, 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    """WCAG's relative luminance, 0 to 1."""
    red, green, blue = (_linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
