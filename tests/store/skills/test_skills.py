"""Tests of the skill library: generations, versions, folders edited by hand, and crashes."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lull.core.errors import Conflict, NotFound, SkillError, StoreError
from lull.core.proof.proposal import ProposalStatus
from lull.core.skills.skill import ChangeKind, Library, SkillKey, SkillStatus
from tests.building import Home

MENU = SkillKey("", "menu-style")
OWN = SkillKey("cursor", "menu-style")


@pytest.fixture
async def home(tmp_path: Path):  # type: ignore[no-untyped-def]
    made = Home(tmp_path)
    yield made
    await asyncio.to_thread(made.database.close)


def file(home: Home, key: SkillKey = MENU) -> Path:
    return home.skills.folders.folder(key) / "SKILL.md"


async def add(
    home: Home, name: str = "menu-style", body: str = "Join with bars.", **more: object
) -> None:
    await home.add(name, "When a menu is asked for.", body, **more)


def rewrite(home: Home, old: str, new: str, key: SkillKey = MENU) -> None:
    path = file(home, key)
    path.write_text(path.read_text().replace(old, new))


async def reconcile(home: Home) -> list[SkillError]:
    return await home.skills.reconcile(at=home.clock.now())


# Generations and versions


async def test_every_change_is_the_next_generation(home: Home) -> None:
    changes = [
        lambda: add(home),
        lambda: home.approve.edit(MENU, body="Join with dots."),
        lambda: home.approve.switch(MENU, ChangeKind.PIN),
        lambda: home.approve.switch(MENU, ChangeKind.DISABLE),
        lambda: home.approve.switch(MENU, ChangeKind.ENABLE),
        lambda: home.approve.switch(MENU, ChangeKind.UNPIN),
        lambda: home.approve.roll_back(1),
        lambda: home.approve.switch(MENU, ChangeKind.DELETE),
        home.approve.roll_back,
    ]
    for number, change in enumerate(changes, 1):
        await change()
        assert home.library.generation == number
        assert home.skills.library() == home.library
    said = [generation.detail for generation in home.skills.generations()]
    assert said[0] == "add menu-style"
    assert said[-1] == "roll back to generation 7"


async def test_a_change_that_changes_nothing_is_refused_and_is_no_generation(home: Home) -> None:
    await add(home)
    with pytest.raises(Conflict, match="already a skill"):
        await add(home)
    with pytest.raises(Conflict, match="has exactly this text"):
        await home.approve.edit(MENU, body="Join with bars.")
    with pytest.raises(Conflict, match="already active"):
        await home.approve.switch(MENU, ChangeKind.ENABLE)
    with pytest.raises(Conflict, match="not pinned"):
        await home.approve.switch(MENU, ChangeKind.UNPIN)
    with pytest.raises(Conflict, match="already the same as"):
        await home.approve.roll_back(1)
    with pytest.raises(NotFound):
        await home.approve.roll_back(9)
    with pytest.raises(NotFound):
        await home.approve.edit(SkillKey("", "other"), body="x")
    assert home.skills.library().generation == 1


async def test_a_version_number_means_one_text_for_ever_also_after_a_roll_back(home: Home) -> None:
    await add(home)
    await home.approve.edit(MENU, body="Second.")
    await home.approve.roll_back(1)
    assert home.library.get(MENU).version == 1
    await home.approve.edit(MENU, body="Third.")
    assert home.library.get(MENU).version == 3
    texts: dict[int, str] = {}
    for row in home.skills.history(MENU):
        assert texts.setdefault(row.version, row.sha256) == row.sha256


async def test_a_deleted_name_is_used_again_with_the_next_version(home: Home) -> None:
    await add(home)
    await home.approve.edit(MENU, body="Second.")
    await home.approve.switch(MENU, ChangeKind.DELETE)
    assert not file(home).exists()
    await home.approve.roll_back(1)
    await home.approve.switch(MENU, ChangeKind.DELETE)
    await add(home, body="Again.")
    assert home.library.get(MENU).version == 3
    assert home.library.get(MENU).status is SkillStatus.ACTIVE
    assert len(list((home.folder / "archive" / "everybody").iterdir())) == 2


async def test_there_and_back_again(home: Home) -> None:
    await add(home)
    await add(home, "other")
    before = dict(home.library.skills)
    await home.approve.roll_back(1)
    assert [s.name for s in home.library.active_for("")] == ["menu-style"]
    await home.approve.roll_back()
    assert dict(home.library.skills) == before
    await home.approve.roll_back(0)
    assert home.library.active_for("") == []
    await home.approve.roll_back(2)
    assert dict(home.library.skills) == before


SWITCHES = (ChangeKind.PIN, ChangeKind.DISABLE, ChangeKind.ENABLE, ChangeKind.UNPIN)


async def test_rolling_back_restores_what_was_switched(home: Home) -> None:
    await add(home)
    stood = [home.library]
    for change in (*SWITCHES, ChangeKind.DISABLE, ChangeKind.DELETE):
        await home.approve.switch(MENU, change)
        stood.append(home.library)
    for then in reversed(stood[:-1]):
        await home.approve.roll_back(then.generation)
        assert dict(home.library.skills) == dict(then.skills)
        assert file(home).exists()


@pytest.mark.parametrize("change", SWITCHES[:2])
async def test_a_switch_is_rolled_back_also_across_an_edit(home: Home, change: ChangeKind) -> None:
    await add(home)
    before = dict(home.library.skills)
    await home.approve.switch(MENU, change)
    switched = dict(home.library.skills)
    await home.approve.edit(MENU, body="Second.")
    await home.approve.roll_back(1)
    assert dict(home.library.skills) == before
    await home.approve.roll_back(2)
    assert dict(home.library.skills) == switched


async def test_two_changes_at_once_are_two_generations_and_the_last_is_in_force(home: Home) -> None:
    await add(home)
    results = await asyncio.gather(
        *(add(home, f"skill-{i}") for i in range(8)),
        home.approve.edit(MENU, body="One."),
        home.approve.edit(MENU, body="Two."),
        return_exceptions=True,
    )
    failed = [result for result in results if isinstance(result, BaseException)]
    assert all(isinstance(error, Conflict) for error in failed)
    assert home.library == home.skills.library()
    assert home.library.generation == 1 + len(results) - len(failed)


async def test_versions_on_disk_are_never_written_twice(home: Home) -> None:
    await add(home)
    versions = home.folder / "versions"
    first = {path: path.stat().st_mtime_ns for path in versions.rglob("*.md")}
    await home.approve.edit(MENU, body="Second.")
    await home.approve.roll_back(1)
    assert {p: p.stat().st_mtime_ns for p in versions.rglob("*.md") if p in first} == first


# Clients


async def test_two_clients_have_skills_of_the_same_name(home: Home) -> None:
    await add(home)
    await add(home, body="Cursor's own.", client="cursor")
    await home.approve.edit(OWN, body="Changed.")
    assert home.library.get(MENU).version == 1
    assert home.library.get(OWN).version == 2
    bodies = {
        (client, apart): [
            s.body for s in home.library.skills_for(client, isolated=apart).skills.values()
        ]
        for client, apart in [("cursor", True), ("cursor", False), ("zed", True), ("zed", False)]
    }
    assert bodies["cursor", True] == ["Changed."]
    assert bodies["cursor", False] == ["Join with bars."]
    assert bodies["zed", True] == []
    assert bodies["zed", False] == ["Join with bars."]


async def test_only_a_copy_takes_a_skill_to_another_client(home: Home) -> None:
    await add(home, client="cursor", pinned=True)
    (file(home, OWN).parent / "prices.txt").write_text("1")
    await home.approve.edit(OWN, body="Second.")
    await home.approve.copy(OWN, to="zed")
    copied = home.library.get(SkillKey("zed", "menu-style"))
    assert (copied.version, copied.pinned, copied.body) == (1, False, "Second.")
    assert (file(home, copied.key).parent / "prices.txt").read_text() == "1"
    await home.approve.copy(OWN, to="")
    assert home.library.get(MENU).body == "Second."
    with pytest.raises(Conflict):
        await home.approve.copy(OWN, to="cursor")
    await home.approve.switch(OWN, ChangeKind.DELETE)
    with pytest.raises(Conflict, match="was deleted"):
        await home.approve.copy(OWN, to="other")


@pytest.mark.parametrize(
    "client", ["..", "../x", "a/b", "a\\b", ".a", "a b", "x" * 65, "everybody", "Everybody", "a\0"]
)
async def test_a_clients_name_is_never_a_path(home: Home, client: str) -> None:
    with pytest.raises(SkillError, match="not allowed"):
        await add(home, client=client)


@pytest.mark.parametrize("name", ["..", "../x", "a/b", "a\0", "A", "x" * 65])
async def test_nor_is_a_skills(home: Home, name: str) -> None:
    with pytest.raises(SkillError, match="not allowed"):
        await add(home, name)


async def test_names_as_long_as_they_may_be(home: Home) -> None:
    key = SkillKey("c" * 64, "n" * 64)
    await add(home, key.name, client=key.client)
    await home.approve.switch(key, ChangeKind.DELETE)
    await home.approve.roll_back()
    assert file(home, key).is_file()


# Edits by hand


async def test_a_hand_edit_is_no_version_before_it_was_approved(home: Home) -> None:
    await add(home, pinned=True)
    rewrite(home, "bars", "dots")
    edited = file(home).read_bytes()
    assert await reconcile(home) == []
    assert home.skills.library().get(MENU).body == "Join with bars."
    assert [item.key for item in home.skills.strange] == [MENU]
    await reconcile(home)
    assert home.skills.library().generation == 1
    assert file(home).read_bytes() == edited, "it lies as its writer left it"


async def test_an_approved_hand_edit_is_the_next_version(home: Home) -> None:
    await add(home, pinned=True)
    rewrite(home, "bars", "dots")
    edited = file(home).read_bytes()
    await home.approve.propose_file_edits()
    await home.approve_files()
    skill = home.skills.library().get(MENU)
    assert (skill.version, skill.body, skill.pinned) == (2, "Join with dots.", True)
    assert skill.sha256 == hashlib.sha256(edited).hexdigest()
    assert file(home).read_bytes() == edited


async def test_a_hand_edit_after_a_roll_back_gets_a_number_of_its_own(home: Home) -> None:
    await add(home)
    await home.approve.edit(MENU, body="Second.")
    await home.approve.roll_back(1)
    rewrite(home, "bars", "dots")
    await home.approve.propose_file_edits()
    await home.approve_files()
    assert home.skills.library().get(MENU).version == 3


async def test_a_folder_put_there_by_hand_is_a_new_skill_once_it_is_approved(home: Home) -> None:
    await add(home)
    data = file(home).read_text().replace("menu-style", "other")
    for room in ("everybody", "cursor"):
        target = home.folder / "skills" / room / "other"
        target.mkdir(parents=True)
        (target / "SKILL.md").write_text(data)
    await home.approve.propose_file_edits()
    assert home.skills.library().generation == 1
    await home.approve_files()
    library = home.skills.library()
    assert library.generation == 3
    assert library.get(SkillKey("", "other")).version == 1
    assert library.get(SkillKey("cursor", "other")).version == 1


async def test_a_folder_removed_by_hand_is_a_deleted_skill(home: Home) -> None:
    await add(home)
    await add(home, "other")
    shutil.rmtree(file(home).parent)
    await reconcile(home)
    assert home.skills.library().get(MENU).status is SkillStatus.ARCHIVED
    assert home.skills.library().get(SkillKey("", "other")).status is SkillStatus.ACTIVE


async def test_a_lost_room_is_not_a_wish_to_delete_everything(home: Home) -> None:
    await add(home)
    await add(home, "other")
    shutil.rmtree(home.folder / "skills")
    await reconcile(home)
    assert home.skills.library().generation == 2
    assert file(home).is_file()


async def test_an_editor_that_is_about_to_write_does_not_delete(home: Home) -> None:
    await add(home)
    data = file(home).read_bytes()
    file(home).unlink()
    (problem,) = await reconcile(home)
    assert "holds no SKILL.md" in problem.detail
    assert home.skills.library().generation == 1
    file(home).write_bytes(data)
    assert await reconcile(home) == []


async def test_a_deleted_skill_that_is_put_back_is_active_again(home: Home) -> None:
    await add(home)
    data = file(home).read_bytes()
    await home.approve.switch(MENU, ChangeKind.DELETE)
    file(home).parent.mkdir(parents=True)
    file(home).write_bytes(data)
    await home.approve.propose_file_edits()
    assert home.skills.library().get(MENU).status is SkillStatus.ARCHIVED
    await home.approve_files()
    assert home.skills.library().get(MENU).status is SkillStatus.ACTIVE


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "line 1"),
        (b"---\nname: other\ndescription: x\n---\nx", "line 2: the name is 'other'"),
        (b"---\r\ndescription: x\r\nname: other\r\n---\r\nx", "line 3: the name is 'other'"),
        (b"---\nname: menu-style\n---\nx", "description is missing"),
        (b"x" * 300_000, "too large"),
    ],
)
async def test_a_broken_copy_is_told_and_the_skill_stays_in_force(
    home: Home, data: bytes, words: str
) -> None:
    await add(home)
    await add(home, "menu")
    file(home).write_bytes(data)
    shutil.rmtree(file(home, SkillKey("", "menu")).parent)
    (problem,) = await reconcile(home)
    assert words in problem.detail
    library = home.skills.library()
    assert library.get(MENU).status is SkillStatus.ACTIVE
    assert library.get(SkillKey("", "menu")).status is SkillStatus.ARCHIVED
    assert file(home).read_bytes() == data


async def test_a_text_nobody_has_read_is_never_written_over(home: Home) -> None:
    await add(home)
    file(home).write_text("---\nmy notes for a better menu")
    await home.approve.edit(MENU, body="Second.")
    spared = list((home.folder / "archive").rglob("SKILL.md"))
    assert [path.read_text() for path in spared] == ["---\nmy notes for a better menu"]


async def test_a_change_proposes_unseen_hand_edits_first(home: Home) -> None:
    await add(home)
    await add(home, "other")
    rewrite(home, "bars", "dots")
    await home.approve.switch(SkillKey("", "other"), ChangeKind.PIN)
    assert home.library.get(MENU).body == "Join with bars."
    (waiting,) = home.review.proposals()
    assert waiting.text.body == "Join with dots."
    await home.approve.edit(MENU, description="When a menu is wanted.")
    assert home.library.get(MENU).body == "Join with bars."
    (overtaken,) = home.review.proposals()
    assert overtaken.status is ProposalStatus.STALE, "the text below it is another one now"


async def test_what_lies_in_the_wrong_place_is_told(home: Home) -> None:
    await add(home)
    for wrong in ("misplaced", "no client"):
        target = home.folder / "skills" / wrong
        target.mkdir()
        (target / "SKILL.md").write_bytes(file(home).read_bytes())
    (home.folder / "skills" / "a file").write_text("x")
    (home.folder / "skills" / ".hidden").mkdir()
    (home.folder / "skills" / "everybody" / "a file").write_text("x")
    problems = await reconcile(home)
    assert sorted(p.detail.split("/")[-1] for p in problems) == [
        "misplaced is not where Lull reads skills.",
        "no client is not where Lull reads skills.",
    ]


async def test_links_lead_nowhere(home: Home, tmp_path: Path) -> None:
    await add(home)
    (home.folder / "skills" / "everybody" / "loop").symlink_to("loop")
    outside = tmp_path / "outside.md"
    outside.write_text("mine")
    file(home).unlink()
    file(home).symlink_to(outside)
    (problem,) = await reconcile(home)
    assert "line 1" in problem.detail
    await home.approve.edit(MENU, body="Second.")
    assert outside.read_text() == "mine"


# Crashes


Stop = Callable[[Home], None]


class Crash(BaseException):
    """Ends what runs as a kill would; on a KeyboardInterrupt asyncio would end its whole loop."""


def after_version_file(home: Home) -> None:
    async def change(*_: object, **__: object) -> None:
        raise Crash

    home.skills.change = change  # type: ignore[method-assign, assignment]


def after_commit(home: Home) -> None:
    async def follow(_: object) -> None:
        raise Crash

    home.skills._follow = follow  # type: ignore[method-assign, assignment]


def after_working_copy(home: Home) -> None:
    real = home.skills._written_out

    def written_out(changed: object) -> None:
        real(changed)  # type: ignore[arg-type]
        raise asyncio.CancelledError

    home.skills._written_out = written_out  # type: ignore[method-assign, assignment]


CHANGES = {
    "add": lambda home: add(home, "new"),
    "edit": lambda home: home.approve.edit(MENU, body="Second."),
    "delete": lambda home: home.approve.switch(MENU, ChangeKind.DELETE),
    "pin": lambda home: home.approve.switch(MENU, ChangeKind.PIN),
    "roll back": lambda home: home.approve.roll_back(1),
    "add again": lambda home: add(home, "gone"),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("stop", [after_version_file, after_commit, after_working_copy])
async def test_a_crash_leaves_nothing_half_done(home: Home, change: str, stop: Stop) -> None:
    await add(home)
    await home.approve.edit(MENU, body="Other.")
    await add(home, "gone")
    await home.approve.switch(SkillKey("", "gone"), ChangeKind.DELETE)
    before = home.skills.library()
    stop(home)
    with contextlib.suppress(Crash, asyncio.CancelledError):
        await CHANGES[change](home)
    await home.restart()
    after = home.library
    assert after.generation == before.generation + (stop is not after_version_file)
    assert after_reconcile_agrees(home, after)
    await home.restart()
    assert home.library == after, "the second start has nothing left to do"
    if after.get(MENU).status is SkillStatus.ACTIVE:
        rewrite(home, after.get(MENU).body, "By hand.")
        await home.approve.propose_file_edits()
        await home.approve_files()
        assert home.skills.library().get(MENU).body == "By hand."


def after_reconcile_agrees(home: Home, library: Library) -> bool:
    found = {item.key: item for item in home.skills.folders.working_copies()}
    active = {k for k, s in library.skills.items() if s.status is not SkillStatus.ARCHIVED}
    same = all(found[key].sha256 == library.get(key).sha256 for key in active)  # type: ignore[union-attr]
    return found.keys() == active and same


@pytest.mark.parametrize("stop", [after_commit, after_working_copy])
async def test_an_edit_by_hand_back_to_the_old_text_after_a_crash_is_proposed(
    home: Home, stop: Stop
) -> None:
    await add(home)
    old = file(home).read_bytes()
    stop(home)
    with contextlib.suppress(Crash, asyncio.CancelledError):
        await home.approve.edit(MENU, body="Second.")
    await home.restart()
    file(home).write_bytes(old)
    await home.approve.propose_file_edits()
    assert home.skills.library().get(MENU).body == "Second."
    await home.approve_files()
    assert home.skills.library().get(MENU).body == "Join with bars."
    assert home.skills.library().get(MENU).version == 3


@pytest.mark.logs("could not be written")
async def test_a_working_copy_that_cannot_be_written_does_not_undo_the_change(home: Home) -> None:
    await add(home)
    blocked = home.folder / "skills" / "everybody" / "new"
    blocked.write_text("a file in its place")
    await add(home, "new")
    assert home.library.get(SkillKey("", "new")).version == 1
    blocked.unlink()
    await reconcile(home)
    assert file(home, SkillKey("", "new")).is_file()


async def test_behind_a_damaged_database_no_folder_is_believed(home: Home) -> None:
    await add(home)
    await add(home, "other", client="cursor")
    folder_of(home.folder / "skills" / "everybody", "dropped")
    await asyncio.to_thread(home.database.close)
    for left in home.folder.glob("lull.db-*"):
        left.unlink()
    (home.folder / "lull.db").write_bytes(b"not a database " * 1000)
    home.start()
    await home.approve.propose_file_edits()
    assert home.database.kept_aside is not None
    assert home.library.skills == {}, "which were approved, disabled or rejected is not known"
    assert {one.key.name for one in home.review.proposals()} == {MENU.name, "other", "dropped"}
    await home.approve_files()
    assert home.library.get(MENU).body == "Join with bars."


async def test_without_its_database_no_folder_is_believed(home: Home) -> None:
    await add(home)
    await asyncio.to_thread(home.database.close)
    (home.folder / "lull.db").unlink()
    home.start()
    await home.restart()
    assert home.library.skills == {}
    await home.approve_files()
    assert home.library.get(MENU).body == "Join with bars."


# Lost and changed versions


def version_file(home: Home, sha256: str) -> Path:
    return home.folder / "versions" / sha256[:2] / f"{sha256}.md"


async def test_a_lost_version_is_restored_from_the_working_copy(home: Home) -> None:
    await add(home)
    lost = version_file(home, home.library.get(MENU).sha256)
    lost.unlink()
    await home.restart()
    assert home.library.get(MENU).body == "Join with bars."
    assert lost.is_file()


@pytest.mark.logs("skill menu-style cannot be used")
async def test_a_version_changed_on_disk_is_told_and_takes_nothing_else_away(home: Home) -> None:
    await add(home)
    await home.approve.edit(MENU, body="Second.")
    await add(home, "other")
    first = home.skills.history(MENU)[-1].sha256
    path = version_file(home, first)
    path.write_text(path.read_text().replace("bars", "lies"))
    await home.restart()
    assert home.library.get(MENU).body == "Second."
    with pytest.raises(StoreError, match="was changed"):
        home.skills.folders.text(first)
    then = home.skills.library(1)
    assert then.active_for("") == []
    await add(home, "menu-2")
    assert home.library.generation == 4


# Import and export


def folder_of(path: Path, name: str, body: str = "Do so.") -> Path:
    target = path / name
    target.mkdir(parents=True)
    (target / "SKILL.md").write_text(
        f"---\nname: {name}\ndescription: When asked.\n---\n\n{body}\n"
    )
    return target


async def test_of_a_folder_of_folders_all_or_none_is_taken(home: Home, tmp_path: Path) -> None:
    source = tmp_path / "source"
    for name in ("a", "b", "c"):
        folder_of(source, name)
    (folder_of(source, "d") / "SKILL.md").write_text("broken")
    with pytest.raises(SkillError, match="line 1"):
        await home.bring_in(source)
    assert home.skills.library().generation == 0
    shutil.rmtree(source / "d")
    await home.bring_in(source)
    assert sorted(key.name for key in home.library.skills) == ["a", "b", "c"]
    assert (await home.files.bring_in(source)).unchanged == ("a", "b", "c")
    (source / "a" / "SKILL.md").write_text(
        (source / "a" / "SKILL.md").read_text().replace("Do so.", "Do it.")
    )
    await home.bring_in(source)
    assert home.library.get(SkillKey("", "a")).version == 2


async def test_what_lies_beside_a_skill_comes_in_and_goes_out_but_links_do_not(
    home: Home, tmp_path: Path
) -> None:
    source = folder_of(tmp_path / "source", "a")
    (source / "scripts").mkdir()
    (source / "scripts" / "run.sh").write_text("echo")
    (tmp_path / "private").write_text("mine")
    (source / "link").symlink_to(tmp_path / "private")
    (source / "folder-link").symlink_to(tmp_path)
    await home.bring_in(source)
    inside = home.folder / "skills" / "everybody" / "a"
    assert sorted(p.name for p in inside.rglob("*")) == ["SKILL.md", "run.sh", "scripts"]
    (written,) = await home.approve.export_skills(tmp_path / "out", names=["a", "a"])
    assert sorted(p.name for p in written.rglob("*")) == ["SKILL.md", "run.sh", "scripts"]
    assert (written / "SKILL.md").read_bytes() == (source / "SKILL.md").read_bytes()


async def test_what_was_exported_is_imported_to_the_same_bytes(home: Home, tmp_path: Path) -> None:
    await add(home, body="Zwölf — “Zeilen”\n---\n🙂")
    await add(home, "other")
    await home.approve.export_skills(tmp_path / "out", names=[])
    again = Home(tmp_path / "again")
    try:
        await again.bring_in(tmp_path / "out")
        mine = {k: s.sha256 for k, s in home.library.skills.items()}
        assert {k: s.sha256 for k, s in again.library.skills.items()} == mine
    finally:
        await asyncio.to_thread(again.database.close)


async def test_an_export_writes_over_nothing(home: Home, tmp_path: Path) -> None:
    await add(home)
    await add(home, "other")
    (tmp_path / "out" / "other").mkdir(parents=True)
    with pytest.raises(Conflict, match="is there already"):
        await home.approve.export_skills(tmp_path / "out", names=[])
    assert not (tmp_path / "out" / "menu-style").exists()
    (tmp_path / "file").write_text("x")
    with pytest.raises(SkillError, match="file"):
        await home.approve.export_skills(tmp_path / "file", names=["menu-style"])
    with pytest.raises(SkillError, match="not allowed"):
        await home.approve.export_skills(tmp_path / "new", names=["../menu-style"])
    with pytest.raises(NotFound):
        await home.approve.export_skills(tmp_path / "new", names=[], client="cursor")


@pytest.mark.parametrize("what", ["missing", "a file", "empty", "twice"])
async def test_what_cannot_be_imported_is_told(home: Home, tmp_path: Path, what: str) -> None:
    source = tmp_path / "source"
    if what == "a file":
        source.write_text("x")
    elif what != "missing":
        source.mkdir()
    if what == "twice":
        folder_of(source, "a")
        shutil.copytree(source / "a", source / "b")
    with pytest.raises(SkillError):
        await home.bring_in(source)
    assert home.skills.library().generation == 0


async def test_a_deleted_skill_is_imported_again(home: Home, tmp_path: Path) -> None:
    source = folder_of(tmp_path / "source", "a")
    await home.bring_in(source)
    await home.approve.switch(SkillKey("", "a"), ChangeKind.DELETE)
    await home.bring_in(source)
    skill = home.library.get(SkillKey("", "a"))
    assert (skill.status, skill.version) == (SkillStatus.ACTIVE, 2)


# Uses


async def test_uses_are_counted_by_the_client_that_asked(home: Home) -> None:
    await add(home)
    home.skills.count_uses([MENU], by="cursor", at=home.clock.now())
    home.skills.count_uses([MENU, OWN], by="cursor", at=home.clock.now())
    home.skills.count_uses([MENU], by="zed", at=home.clock.now())
    await asyncio.to_thread(home.database.flush)
    assert home.skills.uses() == {MENU: 3, OWN: 1}
    assert home.skills.uses_by_client() == {"cursor": {MENU: 2, OWN: 1}, "zed": {MENU: 1}}
