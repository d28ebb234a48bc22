"""Tests of model exams: marking, who is admitted, who is examined, which model learns by itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from lull.core.feedback.calibration import PRIORS, Calibration
from lull.core.feedback.exchange import Exchange
from lull.core.feedback.feedback import UNSURE, MessageFindings, Scope
from lull.core.feedback.reward import Source, Vote
from lull.core.models.admission import (
    NOTHING_TO_COMPARE,
    SmallReaderFigures,
    balanced_accuracy,
    judge_prior,
    with_verdict,
)
from lull.core.models.candidates import (
    Candidate,
    Installed,
    MachineMemory,
    candidates,
    largest_passed,
    to_examine,
)
from lull.core.models.exam import (
    ExamMark,
    ExamResult,
    ExamSheet,
    JudgeItem,
    ModelRole,
    ReadItem,
    WriteItem,
    mark_judge,
    mark_reading,
    mark_write,
)
from lull.core.models.learnable import Learnable
from lull.core.models.most_used_model import ModelUse, auto_choice
from lull.core.models.ollama_model import ListedModel, ShownModel
from lull.core.skills.ports import SkillDraft
from lull.core.skills.skill import SkillText

WISH = "Keep mails short."
READ = ReadItem(
    id="r",
    exchange=Exchange(asked="a", answer="b", said=f"Too long. {WISH} Bye."),
    correction=True,
    lasting=True,
    scope="kind",
    quote=(WISH,),
)
HEARD = MessageFindings(correction=0.95, lasting=0.95, scope=Scope.KIND, quote=(WISH,))


# Marking


@pytest.mark.parametrize(
    ("heard", "right"),
    [
        (HEARD, True),
        (None, False),
        (UNSURE, False),
        (replace(HEARD, correction=0.1), False),
        (replace(HEARD, lasting=0.1), False),
        (replace(HEARD, scope=Scope.ALL), False),
        (replace(HEARD, quote=("Bye.",)), False),
        (replace(HEARD, quote=(f"Too long. {WISH} Bye.",)), True),
        (
            replace(HEARD, quote=(WISH, "Something else that nobody has ever wished for here" * 2)),
            False,
        ),
    ],
    ids=str,
)
def test_a_message_is_read_rightly_only_where_all_of_it_is(
    heard: MessageFindings | None, right: bool
) -> None:
    assert mark_reading(READ, heard).right is right


def test_what_is_arguable_is_not_counted() -> None:
    arguable = replace(READ, correction=None)
    assert mark_reading(arguable, replace(HEARD, correction=0.05)).right


def votes(score: int, count: int = 3) -> tuple[Vote, ...]:
    return (Vote(score=score, reason="so"),) * count


@pytest.mark.parametrize(
    ("kept", "applies", "said", "right"),
    [
        (True, True, votes(1), True),
        (True, True, votes(0), False),
        (True, True, votes(-1), False),
        (False, True, votes(-1), True),
        (False, True, votes(0), False),
        (True, False, votes(0), True),
        (True, False, votes(1), True),
        (True, False, votes(-1), False),
        (True, True, (), False),
        (True, True, votes(1, 1), False),
    ],
)
def test_a_judge_that_decides_nothing_is_not_right(
    kept: bool, applies: bool, said: tuple[Vote, ...], right: bool
) -> None:
    item = JudgeItem(id="j", rule="r", request="q", answer="a", kept=kept, applies=applies)
    assert mark_judge(item, said).right is right


def test_a_usable_skill_says_what_the_user_wanted_and_nothing_of_these_turns_alone() -> None:
    item = WriteItem(
        id="w", failures=(), must=(("bullet", "list"), ("THREE", "3")), must_not=("Lyon",)
    )

    def written(body: str) -> bool:
        text = SkillText(name="summaries", description="For summaries", body=body)
        return mark_write(item, SkillDraft(text=text)).right

    assert written("Give three bullet points.")
    assert not written("Give some bullet points.")
    assert not written("Give three bullet points, as for Lyon.")
    assert not mark_write(item, None).right


# Admission


def judge_sheet(each: int = 30) -> ExamSheet:
    items = [
        JudgeItem(id=f"{kept}{n}", rule="r", request="q", answer="a", kept=kept, applies=True)
        for n in range(each)
        for kept in (True, False)
    ]
    return ExamSheet(role=ModelRole.JUDGE, sha256="s", items=tuple(items))


def judged(sheet: ExamSheet, wrong: int, *, upto: int | None = None) -> ExamResult:
    """Exam result of a judge that got the first `wrong` items of each kind wrong."""
    marks = [
        ExamMark(item=item.id, right=number // 2 >= wrong, kept=item.kept)
        for number, item in enumerate(sheet.items)
        if isinstance(item, JudgeItem)
    ]
    return ExamResult(
        model="m", digest="d", role=ModelRole.JUDGE, exam="e", marks=tuple(marks[:upto])
    )


def test_a_judge_is_admitted_by_the_low_end_of_its_balanced_accuracy() -> None:
    sheet = judge_sheet()
    good, poor = (with_verdict(judged(sheet, wrong), sheet, None) for wrong in (3, 7))
    assert good.passed and good.low is not None and good.low >= 0.7
    assert poor.passed is False and poor.low is not None and poor.low < 0.7
    assert poor.score is not None and poor.score > 0.7  # its share alone would have admitted it
    assert "weighted equally" in poor.why and "n = 60" in poor.why


def test_who_calls_everything_kept_is_no_better_than_a_coin() -> None:
    marks = [ExamMark(item=str(n), right=n % 2 == 0, kept=n % 2 == 0) for n in range(60)]
    found, se, sp = balanced_accuracy(marks)
    assert (found.value, se.value, sp.value) == (0.5, 1.0, 0.0)


def test_an_exam_is_broken_off_when_it_cannot_be_passed_any_more() -> None:
    sheet = judge_sheet()
    so_far = [with_verdict(judged(sheet, 30, upto=n), sheet, None) for n in range(1, 61)]
    ended = next(one for one in so_far if one.passed is not None)
    assert ended.passed is False and 8 <= ended.n <= 20
    assert f"Stopped after {ended.n} of 60" in ended.why
    going_on = with_verdict(judged(sheet, 2, upto=40), sheet, None)
    assert going_on.passed is None and going_on.why == ""


def read_sheet(n: int = 70) -> ExamSheet:
    return ExamSheet(
        role=ModelRole.READER, sha256="s", items=tuple(replace(READ, id=str(k)) for k in range(n))
    )


def read_result(right: int, n: int = 70) -> ExamResult:
    marks = tuple(ExamMark(item=str(k), right=k < right) for k in range(n))
    return ExamResult(model="m", digest="d", role=ModelRole.READER, exam="e", marks=marks)


def test_a_reader_must_beat_the_small_one_with_its_whole_interval() -> None:
    small = SmallReaderFigures(name="small", exam="s", right=56, n=70)
    assert with_verdict(read_result(67), read_sheet(), small).passed is True
    close = with_verdict(read_result(60), read_sheet(), small)
    assert close.passed is False and "80%" in close.why


def test_without_the_small_readers_figures_nobody_is_admitted_as_reader() -> None:
    result = with_verdict(read_result(1, 1), read_sheet(), None)
    assert (result.passed, result.why) == (False, NOTHING_TO_COMPARE)


@pytest.mark.parametrize(("right", "passed"), [(10, True), (9, False)])
def test_four_of_five_skills_of_a_writer_must_be_usable(right: int, passed: bool) -> None:
    item = WriteItem(id="", failures=(), must=(), must_not=())
    sheet = ExamSheet(
        role=ModelRole.WRITER, sha256="s", items=tuple(replace(item, id=str(n)) for n in range(12))
    )
    marks = tuple(ExamMark(item=str(n), right=n < right) for n in range(12))
    result = ExamResult(model="m", digest="d", role=ModelRole.WRITER, exam="e", marks=marks)
    assert with_verdict(result, sheet, None).passed is passed


def test_an_admitted_judge_is_believed_as_far_as_its_exam_says() -> None:
    sheet = judge_sheet()
    belief = judge_prior(with_verdict(judged(sheet, 3), sheet, None))
    assert belief is not None
    assert belief.right == belief.specificity == pytest.approx(28 / 32)
    plain, measured = Calibration(), Calibration(beliefs={Source.JUDGE: belief})
    assert measured.p_good(1.0, Source.JUDGE) > plain.p_good(1.0, Source.JUDGE)
    assert measured.p_good(-1.0, Source.JUDGE) < plain.p_good(-1.0, Source.JUDGE)
    assert plain.rates(Source.JUDGE).sensitivity == PRIORS[Source.JUDGE].right
    assert judge_prior(with_verdict(judged(sheet, 9), sheet, None)) is None


# Who is examined

GB = 10**9
ROOM = MachineMemory(total_bytes=16 * GB, available_bytes=10 * GB)


def installed(
    name: str, gb: float, *, says: tuple[str, ...] = ("completion",), digest: str = "", **more: bool
) -> Installed:
    remote = more.pop("remote", False)
    shown = ShownModel(
        name=name,
        architecture="llama",
        parameters=1,
        format="gguf",
        capabilities=says,
        blobs=(),
        adapters=(),
        remote=False,
    )
    listed = ListedModel(
        name=name, digest=digest or f"d-{name}", size_bytes=int(gb * GB), remote=remote
    )
    return Installed(listed=listed, shown=shown, **more)


def test_the_largest_that_fits_comes_first_and_three_are_examined() -> None:
    there = [installed(f"m{n}:latest", n) for n in (1, 2, 3, 4, 9)]
    found = candidates(there, ROOM)
    assert [one.name for one in found if not one.why_not] == ["m4:latest", "m3:latest", "m2:latest"]
    why = {one.name: one.why_not for one in found if one.why_not}
    assert "needs about 10.8 GB of memory; 8.4 GB may be taken" in why["m9:latest"]
    assert "3 largest" in why["m1:latest"]


def test_what_is_in_memory_already_fits() -> None:
    (one,) = candidates([installed("big", 9, loaded=True)], ROOM)
    assert one.why_not == ""


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (installed("far:cloud", 1, remote=True), "somebody else's machine"),
        (installed("embed", 1, says=("embedding",)), "embeddings"),
        (installed("odd", 1, says=()), "does not say"),
        (installed("m-lull-v3", 1), "trained copy"),
        (replace(installed("quiet", 1), shown=None), "says nothing"),
    ],
    ids=lambda one: one.listed.name if isinstance(one, Installed) else "",
)
def test_who_is_not_examined_is_said(model: Installed, why: str) -> None:
    (one,) = candidates([model], ROOM)
    assert why in one.why_not


def test_a_model_under_two_names_is_examined_once_and_a_named_one_in_any_case() -> None:
    there = [installed("a", 2, digest="x"), installed("b", 2, digest="x"), installed("c", 1)]
    there += [installed(f"big{n}", 3) for n in range(3)]
    found = candidates(there, ROOM, named={"c:latest"})
    assert [one.name for one in found if not one.why_not] == ["big0", "big1", "big2", "c"]


ABLE = (Candidate(name="big", digest="1"), Candidate(name="small", digest="2"))


def test_smaller_ones_are_not_examined_for_what_a_larger_one_has() -> None:
    first = to_examine(ABLE, {}, {})
    assert [(one.name, role) for one, role in first[:3]] == [("big", role) for role in ModelRole]
    after = {
        ("1", ModelRole.READER): False,
        ("1", ModelRole.JUDGE): True,
        ("1", ModelRole.WRITER): False,
    }
    left = to_examine(ABLE, {}, after)
    assert [(one.name, role) for one, role in left] == [
        ("small", ModelRole.READER),
        ("small", ModelRole.WRITER),
    ]
    assert largest_passed(ABLE, ModelRole.JUDGE, after) == ABLE[0]
    assert largest_passed(ABLE, ModelRole.WRITER, after) is None


def test_a_role_that_is_off_needs_no_exam_and_a_name_is_examined_alone() -> None:
    settings = {ModelRole.READER: "none", ModelRole.JUDGE: "", ModelRole.WRITER: "Small:latest"}
    assert [(one.name, role) for one, role in to_examine(ABLE, settings, {})] == [
        ("small", ModelRole.WRITER)
    ]


# Who learns

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def talked(model: str, turns: int, days_ago: float = 0.0) -> ModelUse:
    return ModelUse(model=model, turns=turns, last=NOW - timedelta(days=days_ago))


def learnable(name: str, why_not: str = "") -> Learnable:
    return Learnable(
        name=name, architecture="qwen3", can_learn=not why_not, why_not=why_not, needs_gb=1.0
    )


HERE = (
    learnable("pocket"),
    learnable("a:latest"),
    learnable("b:4b"),
    learnable("c:8b", "Too big."),
)


def test_auto_is_the_model_that_the_user_talks_to_most_of_those_that_can_learn() -> None:
    found = auto_choice(
        [talked("b:4b", 9), talked("a", 12), talked("c:8b", 50)], HERE, built_in=("pocket",)
    )
    assert found.model == "a"
    assert (
        "12 answers" in found.why
        and "c:8b, with 50 answers in 30 days, cannot learn: Too big." in found.why
    )


def test_ties_go_to_the_one_that_was_talked_to_last() -> None:
    found = auto_choice([talked("a", 5, 3), talked("b:4b", 5, 1)], HERE, built_in=("pocket",))
    assert found.model == "b:4b"


def test_names_of_one_model_and_its_published_versions_count_together() -> None:
    said = [talked("A:latest", 2), talked("a", 2), talked("a-lull-v2", 3), talked("b:4b", 6)]
    assert auto_choice(said, HERE, built_in=("pocket",)).model == "a"


@pytest.mark.parametrize(
    "said", [[], [talked("pocket", 90)], [talked("c:8b", 3)], [talked("gone", 3)]], ids=str
)
def test_the_built_in_model_learns_only_where_there_is_no_other(said: list[ModelUse]) -> None:
    assert auto_choice(said, HERE, built_in=("pocket",)).model == "pocket"
    both = ("mini", "pocket")
    met = any(one.model == "pocket" for one in said)
    assert auto_choice(said, HERE, built_in=both).model == ("pocket" if met else "mini")
    assert "pocket, with" not in auto_choice(said, HERE, built_in=both).why


def test_a_little_talk_to_another_is_enough() -> None:
    said = [talked("pocket", 90), talked("b:4b", 1)]
    assert auto_choice(said, HERE, built_in=("pocket",)).model == "b:4b"
