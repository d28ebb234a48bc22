"""Tests of replaying one pair of a proof: what is sent, what is never executed, who scores it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from lull.backends.reader.request_kinds import RequestKinds
from lull.core.chat.messages import (
    Completion,
    Finish,
    Message,
    Role,
    Sampling,
    ToolCall,
    text_message,
)
from lull.core.feedback.feedback import RuleKind, Scope
from lull.core.feedback.judge import JudgeQuestion, QuestionKind
from lull.core.proof.pairs import Pair, PairPart
from lull.core.proof.proposal import Proposal, ProposalKind, ProposalOrigin
from lull.core.skills.prompt_block import CLOSING, OPENING
from lull.core.skills.stated_skill import skill_of
from lull.loops.proof.replay import ReplayCase, ReplayTarget
from lull.store.chat.turn_rows import Label
from tests.building import FACTS, answer, system, user
from tests.doubles.fake_chat_model import ChatAsk, FakeChatModel
from tests.loops.classroom import (
    BAD,
    CHECKED,
    GOOD,
    MENU,
    MODEL,
    Classroom,
    ScriptedJudge,
    menus,
)

WISH = "join the dishes with bars"
WORDS = '{"kind": "words", "at_most": 2}'
SCHEMA = json.dumps({"type": "object", "required": ["dishes"]})


def obeys(ask: ChatAsk) -> str:
    """Answers of a model that joins with bars only when a system text tells it to."""
    told = any(MENU.body in m.text for m in ask.messages if m.role is Role.SYSTEM)
    return "soup | bread" if told else "soup and bread"


def either(without: str, with_: str) -> Callable[[ChatAsk], str]:
    """Answers of a model without and with the skill."""
    return lambda ask: with_ if MENU.body in str(ask) else without


def wants_bars(question: JudgeQuestion) -> tuple[object, ...]:
    return (GOOD if "|" in question.answer.text else BAD,) * 3


def a_judge() -> ScriptedJudge:
    return ScriptedJudge(wants_bars)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def obedient(room: Classroom) -> None:
    room.chats.answers = [obeys]


def cases(
    room: Classroom, proposal: Proposal, stage: ReplayTarget | None = None
) -> list[ReplayCase]:
    return room.replay.cases(proposal, stage or room.stage())


async def first_case(room: Classroom, proposal: Proposal) -> ReplayCase:
    return cases(room, proposal)[0]


class EndsEarly(FakeChatModel):
    """A model whose answers may end as soon as enough is known of them."""

    async def chat_until(
        self,
        messages: Sequence[Message],
        *,
        sampling: Sampling,
        adapter: str | None,
        enough: Callable[[str], bool],
    ) -> Completion:
        whole = await self.chat(messages, sampling=sampling, adapter=adapter)
        said = whole.message.text
        upto = next((n for n in range(len(said)) if enough(said[:n])), len(said))
        settled = upto < len(said)
        return replace(whole, message=text_message(Role.ASSISTANT, said[:upto]), settled=settled)


async def test_an_answer_that_a_check_has_decided_ends_there(room: Classroom) -> None:
    room.chats = model = EndsEarly("one two three four five six seven eight nine ten")
    (turn,) = await room.failed("a menu please")
    proposal = await room.proposes(failures=(turn,), check=WORDS, origin=ProposalOrigin.EXTRACTIVE)
    stage = room.stage(early=model)
    (case,) = cases(room, proposal, stage)
    pair = await room.replay.pair_if_possible(proposal, stage, case, 7)
    assert pair is not None and (pair.without, pair.with_) == (0.0, 0.0)
    assert pair.answers == ("one two three four […]",) * 2

    (whole,) = room.replay.user_cases(proposal, stage)
    answers = await room.replay.answers(stage, whole, 7)
    assert {one.message.text for one in answers} == {model.answers[0]}, "a user reads them whole"


async def pair_of(room: Classroom, proposal: Proposal, *, seed: int = 7) -> Pair | None:
    case = await first_case(room, proposal)
    return await room.replay.pair_if_possible(proposal, room.stage(), case, seed)


# What is sent


async def test_a_request_is_answered_with_and_without_the_skill_under_one_seed(
    room: Classroom,
) -> None:
    room.judge = a_judge()
    failures = await room.failed(menus(1)[0])
    pair = await pair_of(room, await room.proposes(failures=tuple(failures)), seed=11)
    assert pair is not None
    assert (pair.without, pair.with_, pair.scored_by) == (0.0, 1.0, "judge:judge-1")
    without, with_ = room.chats.asked
    assert [m.text for m in without.messages] == [menus(1)[0]]
    assert [m.text for m in with_.messages] == [
        f"{FACTS.system}\n\n{OPENING}{MENU.body}{CLOSING}",
        menus(1)[0],
    ]
    assert without.sampling == with_.sampling == Sampling(seed=11)


async def test_it_is_sent_as_it_would_be_sent_today(room: Classroom) -> None:
    """The request is sent with the skills in force now, after the client's own system text."""
    room.judge = a_judge()
    failures = await room.failed(menus(1)[0])
    await room.add("wine", "When a menu is asked for.", "Name the wine with each course.")
    (asked,) = await room.plays(system("You cook."), user(menus(1)[0]), "soup")
    proposal = await room.proposes(failures=(*failures, asked))
    by_turn = {case.turn: case for case in cases(room, proposal)}
    plain = by_turn[failures[0]]
    assert "Name the wine" in plain.without[0].text
    assert MENU.body not in plain.without[0].text
    assert plain.with_[0].text.index("Name the wine") < plain.with_[0].text.index(MENU.body)
    own = by_turn[asked]
    assert own.with_[0].text.startswith("You cook.\n\n<skills>")
    assert FACTS.system not in own.with_[0].text


async def test_an_edit_is_compared_with_the_text_in_force(room: Classroom) -> None:
    room.judge = a_judge()
    old = await room.approved(replace(MENU, body="When you write a menu, join with stars."))
    failures = await room.failed(menus(1)[0])
    proposal = await room.proposes(
        kind=ProposalKind.EDIT, base_sha256=old.sha256, failures=tuple(failures)
    )
    (case,) = cases(room, proposal)
    assert "join with stars" in case.without[0].text
    assert "join with stars" not in case.with_[0].text
    assert MENU.body in case.with_[0].text


async def test_an_edit_is_compared_with_the_text_in_force_also_where_it_was_not_found(
    room: Classroom,
) -> None:
    room.judge = a_judge()
    old = await room.approved(
        replace(MENU, description="When dishes come.", body="Join with stars.")
    )
    failures = await room.failed("tell me what is for dinner")
    proposal = await room.proposes(
        kind=ProposalKind.EDIT, base_sha256=old.sha256, failures=tuple(failures)
    )
    (case,) = cases(room, proposal)
    assert "Join with stars." in case.without[0].text


@pytest.mark.parametrize(
    ("asked", "sent"), [(0.0, 0.7), (None, None), (0.2, 0.2)], ids=["greedy", "silent", "warm"]
)
async def test_it_is_sampled_as_the_client_asked_and_never_without_chance(
    room: Classroom, asked: float | None, sent: float | None
) -> None:
    room.judge = a_judge()
    failures = await room.failed(
        menus(1)[0], sampling=Sampling(temperature=asked, top_p=0.9, seed=1, max_tokens=64)
    )
    await pair_of(room, await room.proposes(failures=tuple(failures)), seed=5)
    drawn = room.chats.asked[0].sampling
    assert drawn == Sampling(temperature=sent, top_p=0.9, seed=5, max_tokens=64)


async def test_one_step_of_a_tool_is_replayed_and_nothing_is_executed(room: Classroom) -> None:
    room.judge = a_judge()
    call = ToolCall(name="oven", arguments='{"heat": 200}', id="call_1")
    asked = Message(role=Role.ASSISTANT, tool_calls=(call,))
    result = replace(text_message(Role.TOOL, "it is hot"), tool_call_id="call_1")
    tools = '[{"type": "function", "function": {"name": "oven"}}]'
    first, second = await room.plays(
        "bake a menu",
        Completion(message=asked, finish=Finish.TOOL_CALLS),
        result,
        "soup and bread",
        tools=tools,
    )
    room.chats.answers = [Completion(message=asked, finish=Finish.TOOL_CALLS)]
    proposal = await room.proposes(failures=(first, second))
    for case in cases(room, proposal):
        before = len(room.chats.asked)
        await room.replay.pair_if_possible(proposal, room.stage(), case, 1)
        new = room.chats.asked[before:]
        assert len(new) == 2  # both answers, and not one step more, whatever they call
        assert all(ask.tools == tools for ask in new)
    assert [m.text for m in room.chats.asked[-1].messages if m.role is Role.TOOL] == ["it is hot"]


# Who scores


async def test_the_judge_is_asked_for_the_users_wish_and_never_sees_the_skill(
    room: Classroom,
) -> None:
    room.judge = a_judge()
    failures = await room.failed(menus(1)[0])
    await pair_of(room, await room.proposes(failures=tuple(failures), wish=WISH))
    first, second = room.judge.asked
    assert {question.asks for question in room.judge.asked} == {QuestionKind.WISH}
    assert {question.wish for question in room.judge.asked} == {WISH}
    assert (first.answer.text, second.answer.text) == ("soup and bread", "soup | bread")
    assert MENU.body not in repr(room.judge.asked)
    assert "<skills>" not in repr(room.judge.asked)


async def test_a_past_success_is_compared_with_the_accepted_answer(room: Classroom) -> None:
    room.judge = ScriptedJudge(lambda q: (GOOD if q.answer.text == q.reference else BAD,) * 3)
    (success,) = await room.plays(menus(1)[0], "soup and bread")
    await room.rate(success, Label.GOOD)
    pair = await pair_of(room, await room.proposes(successes=(success,)))
    assert pair is not None
    assert (pair.part, pair.without, pair.with_) == (PairPart.SUCCESS, 1.0, 0.0)
    assert {question.asks for question in room.judge.asked} == {QuestionKind.PAIR}
    assert {question.reference for question in room.judge.asked} == {"soup and bread"}


@pytest.mark.parametrize(
    ("scope", "asked"),
    [
        (Scope.KIND, ["Write a mail to Mia that I will be late."]),
        (Scope.ALL, ["Write a mail to Mia that I will be late.", "What is a glacier?"]),
    ],
)
async def test_a_rule_for_a_kind_of_request_is_tested_on_successes_of_that_kind(
    room: Classroom, scope: Scope, asked: list[str]
) -> None:
    await room.index.use_kinds(RequestKinds.shipped())
    room.judge = a_judge()
    good = []
    for request in ("Write a mail to Mia that I will be late.", "What is a glacier?"):
        good += await room.plays(request, "Fine.")
        await room.rate(good[-1], Label.GOOD)
    text = skill_of(
        "begin my mails with a sun",
        scope=scope,
        kind_of_rule=RuleKind.PREFERENCE,
        asked="Write a mail to the library that I lost a book.",
    )
    says = {"scope": scope.value} if scope is Scope.ALL else {}
    proposal = await room.proposes(successes=tuple(good))
    proposal = replace(proposal, text=replace(text, metadata=says))
    tested = [case.served.turn.request[-1].text for case in cases(room, proposal)]
    assert tested == asked


async def test_a_verifier_is_asked_before_the_judge(room: Classroom) -> None:
    room.judge = a_judge()
    failures = await room.failed(menus(1)[0], model=CHECKED)
    pair = await pair_of(room, await room.proposes(failures=tuple(failures), model=CHECKED))
    assert pair is not None
    assert (pair.without, pair.with_, pair.scored_by) == (0.0, 1.0, "verifier:checked")
    assert room.judge.asked == []


async def test_past_successes_of_a_verified_model_are_compared_word_for_word(
    room: Classroom,
) -> None:
    (success,) = await room.plays("what is for dinner", "soup and bread", model=CHECKED)
    pair = await pair_of(room, await room.proposes(successes=(success,), model=CHECKED))
    assert pair is not None
    assert (pair.without, pair.with_) == (1.0, 0.0)


async def test_a_success_on_which_the_user_has_spoken_since_is_none(room: Classroom) -> None:
    (success,) = await room.plays(menus(1)[0], "soup and bread", model=CHECKED)
    assert cases(room, await room.proposes(successes=(success,), model=CHECKED)) == []


async def test_a_format_that_was_asked_for_scores_without_a_judge(room: Classroom) -> None:
    room.chats.answers = [lambda ask: '{"dishes": []}' if "<skills>" in str(ask) else "soup"]
    (failure,) = await room.plays(menus(1)[0], "soup and bread", format=SCHEMA)
    pair = await pair_of(room, await room.proposes(failures=(failure,), wish=""))
    assert pair is not None
    assert (pair.without, pair.with_, pair.scored_by) == (0.0, 1.0, "verifier:schema")


async def test_several_checks_of_the_users_rule_score_as_one(room: Classroom) -> None:
    both = f'{{"all": [{WORDS}, {{"kind": "no_sign", "value": "exclamation mark"}}]}}'
    (failure,) = await room.plays(menus(1)[0], "soup and bread")
    own = ProposalOrigin.EXTRACTIVE
    proposal = await room.proposes(failures=(failure,), check=both, origin=own)
    for without, with_, scores in (
        ("soup and bread", "soup bread", (0.0, 1.0)),
        ("soup bread!", "soup bread", (0.0, 1.0)),
        ("soup bread", "soup and bread", (1.0, 0.0)),
    ):
        room.chats.answers = [either(without, with_)]
        pair = await pair_of(room, proposal)
        assert pair is not None
        assert ((pair.without, pair.with_), pair.scored_by) == (scores, "verifier:check")


async def test_checks_of_a_part_of_a_rule_prove_nothing_by_themselves(room: Classroom) -> None:
    part = f'{{"all": [{WORDS}], "only_part": true}}'
    (failure,) = await room.plays(menus(1)[0], "soup and bread")
    own = ProposalOrigin.EXTRACTIVE
    proposal = await room.proposes(failures=(failure,), check=part, origin=own)
    assert cases(room, proposal) == []
    room.judge = a_judge()
    pair = await pair_of(room, proposal)
    assert pair is not None and pair.scored_by == "judge:judge-1"


async def test_a_check_that_was_approved_with_another_skill_scores(room: Classroom) -> None:
    short = replace(MENU, name="short", body="Say two words.")
    await room.approved(short, check=WORDS)
    (failure,) = await room.plays(menus(1)[0], "soup and bread")
    room.chats.answers = [lambda ask: "soup bread" if MENU.body in str(ask) else "soup and bread"]
    proposal = await room.proposes(failures=(failure,), wish="")
    pair = await pair_of(room, proposal)
    assert pair is not None
    assert (pair.without, pair.with_, pair.scored_by) == (0.0, 1.0, "verifier:check")


async def test_no_check_of_its_own_examines_a_skill(room: Classroom) -> None:
    failures = await room.failed(menus(1)[0])
    proposal = await room.proposes(check=WORDS, failures=tuple(failures), wish="")
    assert cases(room, proposal) == []
    old = await room.approved(check=WORDS)
    (failure,) = await room.plays(menus(1)[0], "soup and bread")
    assert [skill.name for skill in room.served(failure).turn.skills] == [old.name]
    edit = await room.proposes(
        replace(MENU, body="Say it in many words."),
        kind=ProposalKind.EDIT,
        base_sha256=old.sha256,
        failures=(failure,),
        wish="",
    )
    assert cases(room, edit) == []


async def test_without_anybody_who_can_tell_nothing_is_replayed(room: Classroom) -> None:
    failures = await room.failed(menus(1)[0])
    assert cases(room, await room.proposes(failures=tuple(failures))) == []
    room.judge = a_judge()
    assert cases(room, await room.proposes(failures=tuple(failures), wish="")) == []


@pytest.mark.parametrize("votes", [(), (GOOD,), (GOOD, BAD)], ids=["none", "one", "tie"])
async def test_no_verdict_is_no_pair(room: Classroom, votes: tuple[object, ...]) -> None:
    room.judge = ScriptedJudge(lambda _: votes)  # type: ignore[arg-type,return-value]
    failures = await room.failed(menus(1)[0])
    assert await pair_of(room, await room.proposes(failures=tuple(failures))) is None
    assert len(room.judge.asked) == 1  # the other answer need not be looked at


async def test_an_answer_that_broke_off_is_no_verdict(room: Classroom) -> None:
    room.judge = a_judge()
    failures = await room.failed(menus(1)[0])
    room.chats = FakeChatModel(answer("so", finish=Finish.ERROR))
    assert await pair_of(room, await room.proposes(failures=tuple(failures))) is None


async def test_a_turn_that_broke_off_is_never_replayed(room: Classroom) -> None:
    room.judge = a_judge()
    (cut,) = await room.plays(menus(1)[0], answer("so", finish=Finish.ERROR))
    assert cases(room, await room.proposes(failures=(cut,), model=MODEL)) == []


async def test_an_answer_that_the_user_stopped_is_replayed_as_a_failure_only(
    room: Classroom,
) -> None:
    room.judge = a_judge()
    (cut,) = await room.plays(menus(1)[0], answer("so", finish=Finish.HANGUP))
    assert [one.turn for one in cases(room, await room.proposes(failures=(cut,), model=MODEL))] == [
        cut
    ]
    assert cases(room, await room.proposes(successes=(cut,), model=CHECKED)) == []
