"""From what happened to what a turn was worth.

When the next message has come, signals are gathered at once: tools and formats first, then what
the user rated, then what the user did. What they said is read in quiet time (loops/hear.py) and
counts from then on. Where all of these are silent the judge is asked later. No verdict leaves the
turn unscored; it is never a zero.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from lull.core.calibration import Calibration, Prior
from lull.core.errors import LullError
from lull.core.feedback.feedback import Feedback
from lull.core.messages import Finish, Role
from lull.core.ports import Asks, Clock, Judge, Question, Quiet
from lull.core.reward import GREY, Reward, Source, Vote, combined, majority
from lull.core.rules import ScoreRule
from lull.core.signals import (
    Signal,
    SignalKind,
    from_feedback,
    from_tools,
    regenerated,
)
from lull.core.skill import Library, SkillKey
from lull.core.trust import behind_the_answer, typed_in
from lull.loops.hear import Hear, exchange_of
from lull.loops.standing_wishes import StandingWishes, Withdrawn
from lull.loops.verify import Verifier, Wish, as_said, by_wish
from lull.store.reward_rows import RewardRow, Served, newest_words
from lull.store.rewards import Rewards, Unread
from lull.store.turn_rows import Label, TurnRow

log = logging.getLogger(__name__)

Credit = Callable[[Served, Sequence[str]], Awaitable[None]]
"""Remembers a request that these skills served well."""

AT_ONCE = 64
"""Turns looked at in one go."""
STUMBLES = 2
"""Times that scoring one turn may fail before it is passed over."""
ANY_TIME = datetime.max.replace(tzinfo=UTC)
"""Whoever is in a hurry does not wait until a question is due."""


class Score:
    def __init__(
        self,
        rewards: Rewards,
        *,
        verifier: Verifier,
        judge: Callable[[], Judge | None],
        quiet: Quiet,
        clock: Clock,
        coin: Callable[[], float],
        rule: ScoreRule,
        credit: Credit,
        library: Callable[[], Library],
        wishes: StandingWishes,
        hear: Hear,
        beliefs: Callable[[], Mapping[Source, Prior]] = dict,
    ) -> None:
        """`beliefs`: of sources that were measured before the user labelled anything."""
        self._rewards = rewards
        self._verifier = verifier
        self._judge = judge
        self._quiet = quiet
        self._clock = clock
        self._coin = coin
        self._rule = rule
        self._credit = credit
        self._beliefs = beliefs
        self._library = library
        self.wishes = wishes
        self._hear = hear
        self._begun: dict[str, int] = {}
        """How often each turn was begun and not finished: one that fails must not stop the rest."""
        self._writing = asyncio.Lock()
        """Held between reading what is known of a turn and writing it back: signals, votes and
        ratings come from several sides and must not undo each other."""
        self._calibrating = asyncio.Lock()
        self._away: LullError | None = None
        """Why the judge could not be asked when it was asked last."""
        self.calibration = Calibration()

    # At once, without a model

    async def read_new(self) -> int:
        """Gather the signals of every turn that waits; how many were looked at."""
        async with self._writing:
            await self._follow_withdrawals()
            return await self._read_waiting()

    async def _read_waiting(self) -> int:
        count = 0
        while unread := self._rewards.unread(limit=AT_ONCE):
            for one in unread:
                tries = self._begun[one.turn.id] = self._begun.get(one.turn.id, 0) + 1
                if tries > STUMBLES:
                    log.error("turn %s cannot be scored and is passed over", one.turn.id)
                    await self._rewards.save((), read=[one.turn.id], at=self._clock.now())
                else:
                    await self._read(one)
                del self._begun[one.turn.id]
            count += len(unread)
        return count

    async def _read(self, unread: Unread) -> None:
        """A turn says something about itself, and about the turn it follows or repeats."""
        turn, rows = unread.turn, []
        (served,) = self._rewards.served([turn.id]) or (None,)
        if served is None:  # deleted meanwhile
            await self._rewards.save((), read=[turn.id], at=self._clock.now())
            return
        wishes = await self.wishes.of(served)
        touched = [other.id for other in (turn, unread.before, unread.again) if other is not None]
        known = self._rewards.of(touched)
        rows.append(self._row(known.get(turn.id), turn, self._of_itself(served, wishes)))
        if unread.before is not None and unread.before.complete:
            row = known.get(unread.before.id)
            tools = _tool_results(unread.before, turn)
            row, said = await self._replied(served, unread.before, turn, row, tools)
            rows.append(self._row(row, unread.before, said, due_now=True))
        if unread.again is not None and _rejects(unread.again):
            again = regenerated(newest_words(unread.again.request))
            rows.append(self._row(known.get(unread.again.id), unread.again, (again,)))
        await self._rewards.save(rows, read=[turn.id], at=self._clock.now())
        await self._credit_wins(rows)

    async def _replied(
        self,
        served: Served,
        before: TurnRow,
        turn: TurnRow,
        row: RewardRow | None,
        tools: tuple[Signal, ...],
    ) -> tuple[RewardRow | None, tuple[Signal, ...]]:
        """What came behind an answer: results of its tool calls, and the user's words as far as
        they can be read at once."""
        feedback = await self._hear.at_once(before, turn)
        if feedback is None or any(one.kind is SignalKind.ENVIRONMENT for one in tools):
            return row, tools  # whatever was said of a fault, the answer was not at fault
        row, said = await self._said(served, before, exchange_of(before, turn).said, feedback, row)
        return row, (*tools, *said)

    async def _said(
        self,
        served: Served,
        before: TurnRow,
        said: str,
        feedback: Feedback,
        row: RewardRow | None,
    ) -> tuple[RewardRow | None, tuple[Signal, ...]]:
        """The signals of a message that was read; a lasting wish holds from now on."""
        heard = feedback.heard
        signals = from_feedback(heard, said)
        if not heard.lasts:
            await self.wishes.drop(served, feedback.turn)
            return row, signals
        wish = self._verifier.wish_of(feedback, about=newest_words(before.request))
        wishes = await self.wishes.add(served, wish)
        return self._wished_anew(wishes, before, row, signals)

    async def heard(self, found: Sequence[Feedback]) -> None:
        """Messages have been read, or read anew: what they say of the answers before them counts
        instead of what was heard before."""
        async with self._writing:
            rows: list[RewardRow] = []
            for one in found:
                both = self._rewards.served([one.before, one.turn])
                if len(both) == 2:
                    rows.append(await self._of_reading(both[0], both[1], one))
            await self._rewards.save(rows, read=(), at=self._clock.now())
        await self._credit_wins(rows)

    async def _of_reading(self, before: Served, after: Served, feedback: Feedback) -> RewardRow:
        row = _without_words(before.reward)
        if any(one.kind is SignalKind.ENVIRONMENT for one in row.signals):
            return row
        said = typed_in(behind_the_answer(after.turn.request))
        known, signals = await self._said(before, before.turn, said, feedback, row)
        return self._row(known, before.turn, signals, due_now=True)

    async def _credit_wins(self, rows: Sequence[RewardRow]) -> None:
        """What went well with a skill is an exemplar of the requests that want it."""
        good = [r.turn for r in rows if r.reward is not None and r.reward.p_good > GREY[1]]
        for served in self._rewards.served(good):
            if served.turn.skills and not served.excluded:
                await self._credit(served, self._had_a_part(served))

    def _had_a_part(self, served: Served) -> tuple[str, ...]:
        """The skills that this turn's request wanted, as far as anybody can tell; what merely
        stood beside them in its prompt would be sought ever oftener if it were credited."""
        turn, skills = served.turn, self._library().skills
        had = {
            one.name: skill
            for one in turn.skills
            if (skill := skills.get(SkillKey(served.room, one.name))) and skill.sha256 == one.sha256
        }
        asked = newest_words(turn.request)
        return self._verifier.about(turn.model, had, asked=asked, answer=turn.answer.text)

    def _of_itself(self, served: Served, wishes: Sequence[Wish]) -> tuple[Signal, ...]:
        turn = served.turn
        if not turn.complete:
            return ()
        asked, answer = newest_words(turn.request), turn.answer.text
        shape = () if turn.answer.tool_calls else self._verifier.in_format(turn.format, answer)
        return (
            *shape,
            *self._verifier.checked([skill.sha256 for skill in turn.skills], answer),
            *self._verifier.as_wished(turn.model, wishes=wishes, asked=asked, answer=answer),
        )

    def _row(
        self,
        known: RewardRow | None,
        turn: TurnRow,
        new: Iterable[Signal],
        *,
        due_now: bool = False,
    ) -> RewardRow:
        """What is known of a turn with these signals added."""
        row = known or RewardRow(turn=turn.id, reward=None)
        signals = tuple(dict.fromkeys((*row.signals, *new)))
        reward = self.reward(signals, turn.label, row.votes)
        due = row.due
        if reward is not None and not self._audited(reward, row):
            due = None
        elif turn.complete and not row.votes and row.tries < self._rule.tries:
            wait_s = 0.0 if due_now else self._rule.settle_s
            due = self._clock.now() + timedelta(seconds=wait_s)
        return replace(row, signals=signals, reward=reward, due=due)

    def _audited(self, reward: Reward, row: RewardRow) -> bool:
        """Now and then the judge is asked although it is known: to see how often it is right."""
        if reward.source is not Source.VERIFIABLE or row.votes:
            return False
        return self._coin() < self._rule.audit_share

    def reward(
        self, signals: Sequence[Signal], label: Label | None, votes: Sequence[Vote]
    ) -> Reward | None:
        """The most trusted word, calibrated on the user's own labels; None: nobody spoke."""
        spoken = [
            self._calibrated(signal.value, signal.source)
            for signal in signals
            if signal.kind is not SignalKind.ENVIRONMENT and signal.value
        ]
        if label is not None:
            spoken.append(self._calibrated(1.0 if label is Label.GOOD else -1.0, Source.EXPLICIT))
        verdict = majority(votes)
        if verdict is not None:
            spoken.append(
                replace(self._calibrated(float(verdict), Source.JUDGE), votes=tuple(votes))
            )
        return combined(spoken)

    def _calibrated(self, value: float, source: Source) -> Reward:
        return Reward(value=value, p_good=self.calibration.p_good(value, source), source=source)

    # Standing wishes

    def _wished_anew(
        self,
        wishes: Sequence[Wish],
        before: TurnRow,
        row: RewardRow | None,
        said: tuple[Signal, ...],
    ) -> tuple[RewardRow | None, tuple[Signal, ...]]:
        """The user has said what they want instead: what an older wish says of the same answer no
        longer counts."""
        if row is not None:
            kept = tuple(signal for signal in row.signals if not by_wish(signal))
            row = replace(row, signals=kept)
        asked = newest_words(before.request)
        anew = self._verifier.as_wished(
            before.model, wishes=wishes, asked=asked, answer=before.answer.text
        )
        return row, (*said, *anew)

    async def _follow_withdrawals(self) -> None:
        """What the user turned down holds no answer to it any more: its verdicts go. One that is
        wanted again after all holds later answers."""
        withdrawn = await asyncio.to_thread(self.wishes.withdrawn)
        turns = [*withdrawn.verdicts]
        for start in range(0, len(turns), AT_ONCE):
            some = await asyncio.to_thread(self._rewards.served, turns[start : start + AT_ONCE])
            rows = [self._row(_without(one, withdrawn), one.turn, ()) for one in some]
            await self._rewards.save(rows, read=(), at=self._clock.now())
        self.wishes.follow(withdrawn)

    # The user's own word

    async def rated(self, turn: str) -> None:
        """The user has rated a turn, or taken a rating back: score it again, and weigh every
        source anew by how often it agrees with the user."""
        rows = await self._rescore([turn])
        await self.recalibrate()
        await self._credit_wins(rows)

    async def _rescore(self, turns: Sequence[str]) -> list[RewardRow]:
        async with self._writing:
            rows = [self._row(one.reward, one.turn, ()) for one in self._rewards.served(turns)]
            await self._rewards.save(rows, read=(), at=self._clock.now())
            return rows

    async def recalibrate(self) -> None:
        """Weigh every source anew by how often it agrees with the user. A rating behind which the
        service ended before it was scored is scored now."""
        async with self._calibrating:  # what was read last is what stands at the end
            unheard = await asyncio.to_thread(self._rewards.unheard)
            if unheard:
                await self._rescore(unheard)
            labelled = await asyncio.to_thread(self._rewards.labelled)
            self.calibration = Calibration.of(
                ((label is Label.GOOD, verdicts(row)) for label, row in labelled),
                self._beliefs(),
            )
            changed = {
                (source, value): self.calibration.p_good(value, Source(source))
                for source, value in await asyncio.to_thread(self._rewards.kinds)
            }
            await self._rewards.recalibrate(changed)

    # The judge

    async def ask_judge(self, *, hurry: bool = False, limit: int = 8) -> int:
        """Ask about turns that nobody spoke of; how many were asked about. With `hurry` also about
        those that wait for their user's next words, or for another try.

        Raises LullError when the judge cannot be asked, and again as long as turns wait for that.
        """
        judge = self._judge()
        if judge is None:
            self._away = None
            return 0
        until = ANY_TIME if hurry else self._clock.now()
        due = self._rewards.due(until, limit=limit)
        for served in due:
            await self._ask(judge, served, hurry=hurry)
        if not due and self._away is not None and self._rewards.due(ANY_TIME, limit=1):
            raise self._away
        return len(due)

    async def _ask(self, judge: Judge, served: Served, *, hurry: bool) -> None:
        try:
            # Until it is quiet, the user may have gone on.
            votes = await self._quiet.run(lambda: judge.votes(self._question(served)), hurry=hurry)
        except LullError as error:
            log.info("the judge could not be asked: %s", error)
            self._away = error
            await self._not_asked(served.turn.id)
            raise
        self._away = None
        await self._judged(served.turn.id, votes, judge.version)

    def _question(self, served: Served) -> Question:
        turn = served.turn
        next_turn = self._rewards.following(turn)
        following = next_turn.request if next_turn is not None else ()
        return Question(
            asks=Asks.TURN,
            messages=turn.request,
            answer=turn.answer,
            results=tuple(m for m in following if m.role is Role.TOOL),
            followup="\n\n".join(m.text for m in following if m.role is Role.USER and m.text),
        )

    async def _judged(self, turn: str, votes: tuple[Vote, ...], version: str) -> None:
        async with self._writing:
            # Read anew: the user may have said something while the judge was thinking.
            rows = [self._voted(one, votes, version) for one in self._rewards.served([turn])]
            await self._rewards.save(rows, read=(), at=self._clock.now())
        await self._credit_wins(rows)

    def _voted(self, served: Served, votes: tuple[Vote, ...], version: str) -> RewardRow:
        """No verdict is missing, and asked for again later; after some tries it stays missing."""
        row = served.reward
        if majority(votes) is None:
            tries = row.tries + 1
            again = self._clock.now() + self._back_off(row.tries)
            return replace(row, tries=tries, due=again if tries < self._rule.tries else None)
        reward = self.reward(row.signals, served.turn.label, votes)
        return replace(row, reward=reward, votes=votes, judge=version, due=None)

    async def _not_asked(self, turn: str) -> None:
        """Who could not be asked has not failed to answer: it is not one of the tries."""
        async with self._writing:
            rows = [
                replace(served.reward, due=self._clock.now() + self._back_off(served.reward.tries))
                for served in self._rewards.served([turn])
            ]
            await self._rewards.save(rows, read=(), at=self._clock.now())

    def _back_off(self, tries: int) -> timedelta:
        return timedelta(seconds=self._rule.retry_s * 2**tries)


def verdicts(row: RewardRow) -> dict[Source, float]:
    """What each source but the user said of a turn; the worst where one spoke several times."""
    said: dict[Source, float] = {}
    for signal in row.signals:
        if signal.kind is not SignalKind.ENVIRONMENT and signal.value:
            said[signal.source] = min(signal.value, said.get(signal.source, 1.0))
    verdict = majority(row.votes)
    if verdict is not None:
        said[Source.JUDGE] = float(verdict)
    return said


def _without(served: Served, withdrawn: Withdrawn) -> RewardRow:
    """What is known of a turn but for the verdicts of words that no longer count."""
    lost = {as_said(words) for words in withdrawn.verdicts[served.turn.id]}
    row = served.reward
    kept = tuple(one for one in row.signals if not (by_wish(one) and one.text in lost))
    return replace(row, signals=kept)


def _without_words(row: RewardRow) -> RewardRow:
    """What is known of a turn but for what an earlier reader heard in the reply to it."""
    spoken = (SignalKind.CORRECTION, SignalKind.THANKS)
    return replace(row, signals=tuple(one for one in row.signals if one.kind not in spoken))


def _tool_results(before: TurnRow, turn: TurnRow) -> tuple[Signal, ...]:
    """What became of the answer's tool calls."""
    return from_tools(turn.request, answer=before.answer) if before.answer.tool_calls else ()


def _rejects(earlier: TurnRow) -> bool:
    """Asking once more rejects an answer only if it was a whole one."""
    said = earlier.answer.text.strip() or earlier.answer.tool_calls
    return earlier.finish in (Finish.STOP, Finish.TOOL_CALLS) and bool(said)
