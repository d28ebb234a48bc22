"""Takes the gate's single measures: has a new adapter and the active one answer the same request,
and scores both answers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from lull.core.adapters.canary import MOST_ANSWER_TOKENS, CanaryTask
from lull.core.adapters.measurement import Measure, MeasureKind
from lull.core.chat.messages import Message, Role, Sampling, text_message
from lull.core.errors import RequestError
from lull.core.provenance.leaks import LURES, leaks
from lull.loops.adapters.gate_answers import (
    CompleteAnswer,
    Preferences,
    generate_answer,
    kl_from_base,
)
from lull.loops.adapters.gate_exam import GateExam
from lull.store.adapters.gate_measures import GateMeasures

WARM: Final = 0.7
"""Sampling temperature for repeated measurements in the gate where users get temperature 0, so that
the answers differ.
"""
REPLAY_TOKENS: Final = 512
"""Maximum tokens of an answer to a past success, or to a gate request that sets no limit."""


class TakeMeasures:
    """Takes the measures of an exam by their names, and stores each as soon as it is taken."""

    def __init__(self, measures: GateMeasures) -> None:
        self._measures = measures
        self._preferences = Preferences()

    async def take(self, exam: GateExam, name: str) -> None:
        """Take and store the measure with this name, such as "probe:3". Raises LullError; then
        nothing is stored.
        """
        kind, _, rest = name.partition(":")
        match MeasureKind(kind):
            case MeasureKind.PROBE:
                measured = await self._probe(exam, exam.material.probes[int(rest)])
            case MeasureKind.SUCCESS:
                measured = await self._success(exam, rest)
            case MeasureKind.LURE:
                measured = await self._lure(exam, LURES[int(rest)])
            case MeasureKind.AGAIN:
                measured = await self._again(exam, *rest.rsplit(":", 1))
            case MeasureKind.RATED:
                measured = await self._rated(exam, rest)
            case MeasureKind.TARGET:
                number, _, request = rest.partition(":")
                measured = await self._target(exam, request, int(number))
        await self._measures.keep(exam.version.id, name, measured)

    async def _probe(self, exam: GateExam, probe: CanaryTask) -> Measure:
        blank = Measure(kind=MeasureKind.PROBE, about=probe.family, old=0.0, new=0.0)
        sampling = Sampling(temperature=0.0, max_tokens=MOST_ANSWER_TOKENS)
        try:
            old, new = await self._both(exam, probe.messages, probe.messages, sampling)
        except RequestError:  # the prompt does not fit one side's context window
            return blank
        told = replace(blank, old=float(probe.passes(old.text)), new=float(probe.passes(new.text)))
        return await self._unchanged(exam, told, probe.messages, old, new, probe.messages)

    async def _success(self, exam: GateExam, request: str) -> Measure:
        blank = Measure(kind=MeasureKind.SUCCESS, about=request)
        one = next(each for each in exam.material.successes if each.id == request)
        sampling = Sampling(temperature=0.0, max_tokens=REPLAY_TOKENS)
        try:
            old, new = await self._both(exam, one.messages, one.messages, sampling)
            before, after = await one.score(old.completion), await one.score(new.completion)
            told = replace(blank, old=before, new=after)
            if one.changes:
                return told
            of_base = one.of_base or one.messages
            return await self._unchanged(exam, told, one.messages, old, new, of_base)
        except RequestError:
            return blank

    async def _lure(self, exam: GateExam, prompt: str) -> Measure:
        asked = (text_message(Role.USER, prompt),)
        sampling = Sampling(temperature=0.0, max_tokens=MOST_ANSWER_TOKENS)
        said = await generate_answer(exam.contest.engine, asked, sampling, exam.contest.new)
        found = tuple(leaks(said.text, prompt, exam.material.planted))
        return Measure(kind=MeasureKind.LURE, about=prompt, leaks=found)

    async def _again(self, exam: GateExam, family: str, number: str) -> Measure:
        """Return a repeated measure of a canary family: a random member of the family, both sides
        sampled with one seed.
        """
        blank = Measure(kind=MeasureKind.AGAIN, about=family)
        seed = _seed(exam.version.sha256, family, number)
        drawn = exam.material.family(family)
        messages, score = drawn[seed % len(drawn)]
        sampling = replace(_warm(exam.contest.sampling), seed=seed, max_tokens=MOST_ANSWER_TOKENS)
        try:
            old, new = await self._both(exam, messages, messages, sampling)
        except RequestError:
            return blank
        before, after = await score(old.completion), await score(new.completion)
        return replace(blank, old=before, new=after)

    async def _rated(self, exam: GateExam, pair: str) -> Measure:
        nothing = Measure(kind=MeasureKind.RATED, about=pair)
        one = next(each for each in exam.material.rated if each.id == pair)
        try:
            base = exam.version.base_digest
            found = await self._preferences.measure(exam.contest, one, base=base)
        except RequestError:
            return nothing
        return nothing if found is None else replace(nothing, old=found[0], new=found[1])

    async def _target(self, exam: GateExam, request: str, number: int) -> Measure:
        nothing = Measure(kind=MeasureKind.TARGET, about=request)
        one = next(each for each in exam.material.targets if each.id == request)
        own = _filled(one.sampling, exam.contest.sampling)
        seed = _seed(exam.version.sha256, request, str(number))
        sampling = replace(own if number == 0 else _warm(own), seed=seed)
        sides = [("old", one.old, exam.contest.old), ("new", one.new, exam.contest.new)]
        if one.taught is not None:
            sides.append(("taught", one.taught, exam.contest.old))
        # Random order, so that a judge cannot learn which side comes first.
        sides.sort(key=lambda side: _seed(exam.version.sha256, request, f"{number}{side[0]}"))
        worth: dict[str, float] = {}
        for name, messages, adapter in sides:
            try:
                said = await generate_answer(exam.contest.engine, messages, sampling, adapter)
            except RequestError:
                return nothing
            score = await one.score(said.completion)
            if score is None:
                return nothing
            worth[name] = score
        return replace(nothing, old=worth["old"], new=worth["new"], taught=worth.get("taught"))

    async def _both(
        self,
        exam: GateExam,
        old: tuple[Message, ...],
        new: tuple[Message, ...],
        sampling: Sampling,
    ) -> tuple[CompleteAnswer, CompleteAnswer]:
        engine, contest = exam.contest.engine, exam.contest
        first = await generate_answer(engine, old, sampling, contest.old)
        return first, await generate_answer(engine, new, sampling, contest.new)

    async def _unchanged(
        self,
        exam: GateExam,
        measure: Measure,
        messages: Sequence[Message],
        old: CompleteAnswer,
        new: CompleteAnswer,
        of_base: tuple[Message, ...],
    ) -> Measure:
        """Measure what should not change about an answer: distance, manner, leaks."""
        prompt = "\n".join(message.text for message in messages)
        return replace(
            measure,
            away=await kl_from_base(exam.contest, new, of_base),
            manner=(old.manner, new.manner),
            # Text that the adapter in force says too was not memorised by the candidate.
            leaks=tuple(
                leaks(new.text, prompt, [p for p in exam.material.planted if p not in old.text])
            ),
        )


def _filled(asked: Sampling, own: Sampling) -> Sampling:
    return replace(asked.or_else(own, Sampling(max_tokens=REPLAY_TOKENS)), seed=own.seed)


def _warm(sampling: Sampling) -> Sampling:
    return sampling if sampling.temperature else replace(sampling, temperature=WARM)


def _seed(*texts: str) -> int:
    """Return a seed that depends only on the measure."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") >> 1
