from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

import lull.desktop
from lull.desktop.widgets.icons import TrayShape, pixmap
from lull.desktop.widgets.style import ThemeInForce, sheet
from lull.desktop.widgets.tokens import DARK, LIGHT, SEEN_ON, TEXT_ON, Theme, contrast

BOTH = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)


def test_contrast_is_what_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_text_reaches_four_and_a_half_to_one(subtests: pytest.Subtests) -> None:
    for theme, (text, back) in product((LIGHT, DARK), TEXT_ON):
        with subtests.test(theme=theme.name, text=text, back=back):
            assert contrast(getattr(theme, text), getattr(theme, back)) >= 4.5


@BOTH
@pytest.mark.parametrize(("mark", "back"), SEEN_ON, ids=lambda one: one)
def test_edges_marks_and_curves_reach_three_to_one(theme: Theme, mark: str, back: str) -> None:
    assert contrast(getattr(theme, mark), getattr(theme, back)) >= 3.0


@BOTH
def test_the_style_sheet_has_every_colour_from_the_tokens(theme: Theme) -> None:
    text = sheet(theme)
    assert "@" not in text
    named = {str(getattr(theme, name)) for name in Theme.__slots__}
    assert set(re.findall(r"#[0-9a-f]{6}\b", text)) <= named


def test_nothing_moves_whatever_the_system_animates(qapp: QApplication) -> None:
    effects = (Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_FadeTooltip, Qt.UIEffect.UI_AnimateCombo)
    for effect in (Qt.UIEffect.UI_General, *effects):
        qapp.setEffectEnabled(effect, True)
    assert any(qapp.isEffectEnabled(effect) for effect in effects)
    ThemeInForce(qapp, LIGHT)
    assert not any(qapp.isEffectEnabled(effect) for effect in effects)


def test_no_other_file_names_a_colour() -> None:
    folder = Path(lull.desktop.__file__).parent
    files = [file for file in folder.rglob("*.py") if file.name != "tokens.py"]
    assert len(files) > 20
    assert [f.name for f in files if re.search(r"#[0-9a-fA-F]{6}\b", f.read_text("utf-8"))] == []


def test_the_six_states_of_the_tray_differ_in_shape_not_in_colour(qapp: object) -> None:
    seen = {}
    for shape in TrayShape:
        image = pixmap(f"tray-{shape}", LIGHT.text, 22).toImage()
        dots = [
            (x, y) for x in range(22) for y in range(22) if image.pixelColor(x, y).alpha() > 127
        ]
        assert len(dots) > 20, shape
        seen[shape] = frozenset(dots)
    assert len(seen) == 6
    for one in TrayShape:
        for other in TrayShape:
            if one is not other:
                assert len(seen[one] ^ seen[other]) >= 25, (one, other)
