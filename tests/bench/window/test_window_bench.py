"""Tests that the measured window ends by itself, on a real process."""

from __future__ import annotations

import pytest

from bench.window.command import CONVERSATIONS, SKILLS, measure_many, measure_page


@pytest.mark.slow
def test_a_measured_window_ends_though_no_tray_icon_could_bring_it_back() -> None:
    row = measure_page("today", seconds=0.3)
    assert row["first_paint_s"] > 0 and row["rss_mb"] > 0


@pytest.mark.full
def test_every_page_is_opened_in_a_lull_in_which_much_has_happened() -> None:
    row = measure_many(seconds=2.0)
    assert (SKILLS, CONVERSATIONS) == (1_000, 20_000)
    assert "20,000 conversations" in row["page"] and row["rss_mb"] > 0
