"""Tests of backups: what belongs into one, when one is due, and which old ones are deleted."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lull.core.backups.backup import (
    FORMAT,
    BackupCounts,
    BackupEntry,
    Manifest,
    backups_to_delete,
    belongs_in_backup,
    by_schedule_name,
    is_due,
    is_place_of_proof,
    manifest_text,
    read_manifest,
    replaced_by_restore,
    skill_folder_of,
)
from lull.core.errors import BackupError

NOW = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
MANIFEST = Manifest(
    at=NOW.isoformat(),
    version="0.1.0",
    layout=7,
    counts=BackupCounts(conversations=1, turns=2, generation=3, skills=4, adapters=5, calendars=6),
    entries={
        "lull.db": BackupEntry(size=4096, sha256="a" * 64),
        "library/skills/everybody/menü/SKILL.md": BackupEntry(size=0, sha256="b" * 64),
    },
)
IN = [
    *("lull.db", "settings.toml", "library/versions/6e/HASH.md", "trash/000001.gz"),
    *("adapters/a1/adapters.safetensors", "runs/r1/batch.jsonl", "runs/r1/adapter/x"),
    "library/skills/everybody/menu/checkpoints/x",
]
NOT_IN = [
    *("secrets.json", "service.json", "service.lock", "window.ini", "witness.json", "lull.db-wal"),
    *("logs/service.log", "models/x/model.safetensors", "vectors/chroma.sqlite3", "run/x"),
    *("backups/lull-auto-0001-2026-11-22.zip", "before-restore-1/lull.db", "lull.db.damaged-1"),
    *("runs/r1/checkpoints/step-1/state.json", "library/.SKILL.md.1.2.tmp", "runs/.new-r/spec"),
    *("", "/lull.db", "library", "library/", "library//x", "library/../lull.db", "../x"),
    *("library/./x", "library\\x", "C:/x", "library/a\0b", "library/a\nb", "library/\udcff"),
    *("library/" + "x" * 300, "LIBRARY/x", "Lull.db", "library/a\u202eb"),
]


@pytest.mark.parametrize("name", IN)
def test_what_cannot_be_made_again_belongs_in(name: str) -> None:
    assert belongs_in_backup(name)


def test_secrets_and_what_leads_elsewhere_do_not(subtests: pytest.Subtests) -> None:
    for name in NOT_IN:
        with subtests.test(name=name):
            assert not belongs_in_backup(name)


def test_a_file_of_a_skill_is_known_by_its_folder() -> None:
    for name, folder in {
        "library/skills/everybody/menu/SKILL.md": "library/skills/everybody/menu",
        "library/skills/zed/menu/a/b": "library/skills/zed/menu",
        "library/archive/everybody/menu.1/env": "library/archive/everybody/menu.1",
        "library/waiting/p1/config/env": "library/waiting/p1",
        "library/skills/everybody/env": "library/skills/everybody",
        "library/skills/env": "library/skills",
        "library/versions/6e/HASH.md": "",
        "trash/skills/everybody/menu/env": "",
        "lull.db": "",
    }.items():
        assert skill_folder_of(name) == folder, name


def test_a_proof_is_laid_in_one_place_of_a_skill_only() -> None:
    places = [f"library/{top}/everybody/menu" for top in ("skills", "archive")]
    assert all(is_place_of_proof(f"{place}/evidence.json") for place in places)
    for name in ("library/waiting/p1", "library/skills/menu", *(f"{place}/a" for place in places)):
        assert not is_place_of_proof(f"{name}/evidence.json"), name


def test_what_comes_back_has_its_place_made_free() -> None:
    assert {name.split("/")[0] for name in IN if replaced_by_restore(name.split("/")[0])} == {
        name.split("/")[0] for name in IN
    }
    stays = ["secrets.json", "logs", "models", "backups", "vectors", "window.ini", "service.lock"]
    assert not any(
        replaced_by_restore(name) for name in [*stays, "before-restore-1", "restoring.json", ""]
    )


def test_a_manifest_reads_back_as_it_was_written() -> None:
    assert read_manifest(manifest_text(MANIFEST)) == MANIFEST


def changed(**values: Any) -> str:
    return json.dumps(json.loads(manifest_text(MANIFEST)) | values)


MANIFESTS = [
    *("", "[]", "null", "{}", "[" * 100_000, '{"format": 1}', changed(format=0)),
    *(changed(format=FORMAT + 1), changed(format="1"), changed(at="yesterday"), changed(at=1)),
    *(changed(counts={}), changed(counts=None), changed(layout=-1), changed(layout=True)),
    *(changed(entries=[]), changed(entries={}), changed(entries={"lull.db": {}})),
    changed(entries={"lull.db": {"size": 1, "sha256": "A" * 64}}),
    changed(entries={"lull.db": {"size": 1.5, "sha256": "a" * 64}}),
    *(
        changed(
            entries={
                "lull.db": {"size": 1, "sha256": "a" * 64},
                name: {"size": 1, "sha256": "a" * 64},
            }
        )
        for name in ("../x", "/etc/passwd", "secrets.json", "library/../../x")
    ),
]


def test_another_manifest_is_refused_in_words(subtests: pytest.Subtests) -> None:
    for row, text in enumerate(MANIFESTS):
        with subtests.test(row=row, text=text):
            with pytest.raises(BackupError) as refused:
                read_manifest(text)
            assert refused.value.hint


@pytest.mark.parametrize(
    ("days_ago", "due"), [(None, True), (6.9, False), (7, True), (-0.5, False), (-2, True)]
)
def test_a_backup_is_due_by_its_days_and_after_a_clock_that_was_wrong(
    days_ago: float | None, due: bool
) -> None:
    last = None if days_ago is None else NOW - timedelta(days=days_ago)
    assert is_due(last, NOW, 7) is due


def test_the_oldest_by_number_go_whatever_the_clock_said() -> None:
    names = ["notes.txt", "lull-2026-11-22-030000.zip"]
    for year in (2026, 1970, 2036, 2026):
        names.append(by_schedule_name(names, NOW.replace(year=year)))
    assert names[-1] == "lull-auto-0004-2026-11-22.zip"
    assert backups_to_delete(names, 2) == [
        "lull-auto-0001-2026-11-22.zip",
        "lull-auto-0002-1970-11-22.zip",
    ]
    assert backups_to_delete(names, 4) == []
    assert len(backups_to_delete(names, 0)) == 3
