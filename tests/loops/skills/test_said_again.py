"""Tests of complaints that the reader does not hear: the judge does, and the user repeats them."""

from __future__ import annotations

from lull.core.proof.proposal import ProposalOrigin, ProposalStatus
from lull.core.skills.skill import SkillText
from lull.store.chat.turn_rows import Label
from tests.loops.classroom import BAD, GOOD, Classroom, ScriptedJudge, ScriptedWriter

NAMED = "The file name does not meet the standard. It should be 2026_{}.md with the date in front."
"""A complaint that the reader of these tests takes for no feedback."""
TASKS = (
    ("Sum up this letter and save it.", "letter"),
    ("List the mountains of Norway and save them.", "mountains"),
    ("Draft a plan for the garden and save it.", "garden"),
)
RULE = SkillText(
    name="date-in-front",
    description="When a file is saved.",
    body="The file name has the date in front, as in 2026_letter.md, to meet the standard.",
)


def hears(room: Classroom) -> None:
    room.judge = ScriptedJudge(
        lambda q: ((BAD if "standard" in q.followup else GOOD),) * 3 if q.followup else ()
    )
    room.writer = ScriptedWriter([RULE])


async def complains(room: Classroom, *, tasks: int = 3) -> tuple[list[str], list[str]]:
    """Hold conversations in each of which a complaint follows the answer; return the turns that
    failed and those in which the complaints stand."""
    failed, said = [], []
    for asked, name in TASKS[:tasks]:
        before, after = await room.plays(asked, "Saved as notes.md.", NAMED.format(name), "Done.")
        failed.append(before)
        said.append(after)
    await judged(room)
    return failed, said


async def judged(room: Classroom) -> None:
    await room.score.read_new()
    while await room.ask_judge.step(hurry=True):
        pass


async def test_what_is_said_again_after_different_tasks_teaches_though_the_reader_hears_nothing(
    room: Classroom,
) -> None:
    hears(room)
    failed, said = await complains(room)
    (made,) = await room.evolve.step()
    assert (made.origin, made.status) == (ProposalOrigin.MODEL, ProposalStatus.SCREENED)
    assert set(made.failures) == set(failed)
    assert set(made.wish_turns) == set(said)
    assert made.wish.splitlines() == [NAMED.format(name) for _, name in TASKS]
    assert room.writer is not None
    (material,) = room.writer.seen
    assert all("standard" in one.said for one in material.failures.failures)


async def test_once_or_twice_is_not_again(room: Classroom) -> None:
    hears(room)
    await complains(room, tasks=2)
    assert await room.evolve.step() == []


async def test_the_next_requests_of_a_days_work_are_no_complaint(room: Classroom) -> None:
    hears(room)
    room.judge = ScriptedJudge(lambda q: (BAD,) * 3 if q.followup else ())
    nexts = (
        "Please draft a retrospective of the sprint and save it in the folder of the team.",
        "Please write a guide for the new colleagues and save it in the folder of the team.",
        "Please make a list of open risks for the board and save it in the folder of today.",
    )
    for (asked, _), following in zip(TASKS, nexts, strict=True):
        await room.plays(asked, "Saved as notes.md.", following, "Done.")
    await judged(room)
    assert await room.evolve.step() == []


async def test_words_after_an_answer_that_the_judge_did_not_blame_are_no_complaint(
    room: Classroom,
) -> None:
    room.writer = ScriptedWriter([RULE])
    for asked, name in TASKS:
        before, _ = await room.plays(asked, "Saved as notes.md.", NAMED.format(name), "Done.")
        await room.rate(before, Label.BAD)
    assert await room.evolve.step() == []


async def test_pasted_words_are_not_said_again(room: Classroom) -> None:
    hears(room)
    for asked, name in TASKS:
        pasted = f"```\n{NAMED.format(name)}\n```"
        await room.plays(asked, "Saved as notes.md.", pasted, "Done.")
    await judged(room)
    assert await room.evolve.step() == []
