"""Tests of proofs that another program wrote: `lull verify` tells them from this Lull's own."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from lull.core.proof.proposal import ProposalStatus
from lull.core.skills.skill import SkillKey
from lull.service.proof.verifying import repair_evidence
from lull.store.skills.proof_records import record_proof, repair_proof_records
from tests.cli.conftest import Here
from tests.damage import damage_record, stopped_database
from tests.desk import Desk, proved

MENU = SkillKey("", "menu-style")
pytestmark = pytest.mark.logs("was changed and is put right")


@pytest.fixture
def files(home: Path, here: Here) -> list[Path]:
    """The two copies of the proof of an approved skill, in the home of a stopped Lull."""
    with Desk(home).open() as desk:
        made = desk.propose(replays=proved(), status=ProposalStatus.PROVED)
        here("review", "approve", made.id)
        sha256 = desk.library.get(MENU).sha256
        folders = desk.stores.skills.folders
        beside = folders.folder(MENU) / "evidence.json"
        kept = folders.versions / sha256[:2] / f"{sha256}.evidence.json"
    return [beside, kept]


def forge(files: list[Path]) -> None:
    """Write a proof that is right in itself and never took place, over both copies."""
    document = json.loads(files[0].read_text())
    document["model"] = "sha256:another model"
    for pair in document["pairs"]:
        pair["seed"] += 1000
    for file in files:
        file.write_text(json.dumps(document))


def test_a_forged_proof_whose_suggestion_was_deleted_does_not_hold(
    home: Path, here: Here, files: list[Path]
) -> None:
    forge(files)
    with stopped_database(home / "lull.db") as other:
        other.execute("DELETE FROM proposals")
        other.execute("DELETE FROM replays")
    ran = here("verify", "menu-style", "--json")
    assert ran.json["holds"] is False
    assert "not the document that this Lull wrote" in ran.json["why"]
    assert here("verify", "menu-style", "--strict").code == 1


@pytest.mark.parametrize("how", ["row", "damaged", "removed", "with the list", "one more"])
def test_the_record_of_proofs_cannot_be_taken_away_or_added_to(
    home: Path, here: Here, files: list[Path], how: str
) -> None:
    whole = files[0].read_bytes()
    forge(files)
    text = files[1].name.split(".")[0]
    with stopped_database(home / "lull.db") as other:
        other.execute("DELETE FROM proposals")
        if how == "one more":
            other.execute("INSERT INTO proof_records VALUES (?, 'sha of the forged one')", (text,))
        else:
            other.execute("DELETE FROM proof_records")
        if how == "damaged":
            damage_record(other, "proof_records", text)
        elif how in ("removed", "with the list"):
            other.execute("DELETE FROM row_seals WHERE part = 'proof_records'")
        if how == "with the list":
            other.execute("DELETE FROM row_seals WHERE id = 'proof_records'")
    ran = here("verify", "menu-style", "--json")
    assert ran.json["holds"] is False
    if how in ("row", "one more"):
        assert "not the document that this Lull wrote" in ran.json["why"]
    else:
        assert "outside of Lull" in ran.json["why"]
    files[1].write_bytes(whole)
    with Desk(home).open() as desk:
        repair_evidence(desk.stores.skills, desk.stores.proposals)
        told = asyncio.run(repair_proof_records(desk.stores.database))
        assert (told is not None) == (how in ("row", "one more"))
        if how in ("row", "one more"):
            assert files[0].read_bytes() == whole, "the proof that Lull wrote comes back"
    with stopped_database(home / "lull.db") as other:
        rows = other.execute("SELECT * FROM proof_records").fetchall()
    assert how not in ("row", "one more") or len(rows) == 1


def test_a_lost_record_is_written_anew_with_the_next_approval(
    home: Path, here: Here, files: list[Path]
) -> None:
    text = files[1].name.split(".")[0]
    with stopped_database(home / "lull.db") as other:
        damage_record(other, "proof_records", text)
    assert here("verify", "menu-style", "--strict").code == 1
    with Desk(home).open() as desk:
        asyncio.run(record_proof(desk.stores.database, text, files[1].read_bytes()))
    assert here("verify", "menu-style", "--strict").code == 0


def test_a_proof_from_elsewhere_is_told_from_those_of_this_lull(
    home: Path, here: Here, files: list[Path]
) -> None:
    assert "no sealed record" not in here("verify", "menu-style").out
    with Desk(home).open() as desk:
        here("skills", "add", "by-hand", "--description", "d", "--body", "b")
        folders, skill = desk.stores.skills.folders, desk.library.get(SkillKey("", "by-hand"))
        document = json.loads(files[0].read_text())
        document |= {"skill": "by-hand", "skill_sha256": skill.sha256}
        (folders.folder(skill.key) / "evidence.json").write_text(json.dumps(document))
        ran = here("verify", "by-hand", "--json")
    assert ran.json["holds"] is True
    assert "no sealed record of having proved it" in ran.json["why"]


def test_proofs_from_before_there_were_records_are_recorded_once(
    home: Path, here: Here, files: list[Path]
) -> None:
    with stopped_database(home / "lull.db") as other:
        for later in ("row_seals", "trained_adapters", "proof_records"):
            other.execute(f"DROP TABLE {later}")
        other.execute("DELETE FROM facts WHERE name = 'row-key'")
        other.execute("PRAGMA user_version = 21")
    said = here("verify", "menu-style", "--json").json
    assert said["holds"] is True and "no sealed record" not in said["why"]
    forge(files)
    with stopped_database(home / "lull.db") as other:
        other.execute("DELETE FROM proposals")
    assert here("verify", "menu-style", "--json").json["holds"] is False
