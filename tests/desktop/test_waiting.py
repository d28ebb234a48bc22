"""Tests of a test's wait for the window that waits in vain."""

from __future__ import annotations

import pytest

from lull.desktop.widgets.page import PageName
from tests.desktop.conftest import Shown


def test_a_wait_in_vain_ends_and_says_for_what_and_what_is_shown(on_script: Shown) -> None:
    page = on_script.go(PageName.SCHEDULE)
    on_script.patience_s = 0.2
    wanted = True

    def holds() -> bool:
        assert page.isHidden(), "the page is hidden"
        return True

    with pytest.raises(AssertionError) as failed:
        on_script.until(lambda: page.isHidden() and wanted)
    said = str(failed.value)
    assert "on_script.until(lambda: page.isHidden() and wanted)" in said
    assert "page SchedulePage:" in said and "Schedule" in said.partition("SchedulePage:")[2]
    with pytest.raises(AssertionError) as failed:
        on_script.until(holds)
    assert "the page is hidden" in str(failed.value.__cause__)
