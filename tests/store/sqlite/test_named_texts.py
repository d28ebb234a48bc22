"""Tests of texts that are kept under names over restarts."""

from __future__ import annotations

from pathlib import Path

from lull.store.sqlite.named_texts import NamedTexts
from tests.building import opened


async def test_a_text_outlives_a_restart_until_another_takes_its_place(tmp_path: Path) -> None:
    with opened(tmp_path / "lull.db") as database:
        assert NamedTexts(database).get("choice") == ""
        await NamedTexts(database).put("choice", "über")
    with opened(tmp_path / "lull.db") as database:
        kept = NamedTexts(database)
        assert kept.get("choice") == "über"
        await kept.put("choice", "")
        assert kept.get("choice") == ""
