"""What is measured of a candidate, in which order, and when that is enough for a verdict.

    1. every canary once, greedily, by both
    2. past successes: do they still hold, and how far from the base is the answer
    3. lures for secrets
    4. families with a small loss again, sampled; held-out requests under one seed, in turn

The plan (against whom, which requests, which test) is on disk before the first measure, each
measure before the next begins: a gate that is interrupted goes on where it was, and one whose
opponent is no longer in force begins anew. What the measures come to is `core/gate.py`'s.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from lull.core.adapter import AdapterVersion
from lull.core.errors import LullError, RequestError
from lull.core.gate import (
    GateRule,
    Manner,
    Standing,
    decide,
    families,
    manner_of,
    target,
)
from lull.core.gate_measure import Measure, Measured, measures_of
from lull.core.leaks import LURES, leaks
from lull.core.messages import Message, Role, Sampling, text_message
from lull.core.ports import Clock
from lull.core.probe import MOST_TOKENS, Probe
from lull.core.probe_checks import refuses
from lull.core.verdict import Verdict
from lull.loops.at_once import at_once
from lull.loops.gate_answers import Answered, Contest, answered, away
from lull.loops.gate_questions import GateMaterial
from lull.store.adapters import Adapters
from lull.store.gate_measures import GateMeasures

AT_ONCE: Final = 8
"""Measures under way: the engine decodes several answers nearly as fast as one."""
WARM: Final = 0.7
"""Where a model is served greedily and one look at a request is not enough."""
NO_VERDICTS: Final = 3
"""Of one held-out request, after which it is asked no more."""
MOST_REPLAYS: Final = 32
REPLAY_TOKENS: Final = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exam:
    version: AdapterVersion
    contest: Contest
    material: GateMaterial
    rule: GateRule
    against: str | None


class Gate:
    def __init__(
        self,
        *,
        adapters: Adapters,
        measures: GateMeasures,
        contest: Callable[[AdapterVersion], Awaitable[Contest]],
        material: Callable[[AdapterVersion], Awaitable[GateMaterial]],
        clock: Clock,
        rule: Callable[[], GateRule],
    ) -> None:
        """`contest` loads the candidate beside what is in force; it raises LullError where that
        cannot be done now."""
        self._adapters = adapters
        self._measures = measures
        self._contest = contest
        self._material = material
        self._clock = clock
        self._rule = rule
        self._exam: _Exam | None = None
        self._taken = 0
        """Measures of the exam under way."""

    async def slice(self, adapter: str, until_s: float) -> Verdict | None:
        """Measure until `until_s` on the monotonic clock; the verdict, or None when there is more
        to measure. At least one measure is taken. Raises LullError; what was measured is kept."""
        exam = await self._begun(adapter)
        try:
            return await self._on(exam, until_s)
        except LullError:
            self._exam = None  # what it was asked of may have to be loaded again
            raise

    async def _on(self, exam: _Exam, until_s: float) -> Verdict | None:
        adapter = exam.version.id
        while True:
            done = await asyncio.to_thread(self._measures.all, adapter)
            names, self._taken = self._next(exam, done), len(done)
            if not names:
                break
            await at_once(self._measure(exam, name) for name in names)
            if self._clock.monotonic_s() >= until_s:
                return None
        measures = measures_of(done)
        self._exam = None
        return decide(measures, exam.rule, at=self._clock.now(), against=exam.against)

    def progress(self, adapter: str) -> float:
        """0 to 1, of what is surely to be measured."""
        exam = self._exam
        if exam is None or exam.version.id != adapter:
            return 0.0
        wanted = len(_sure(exam.material)) + min(
            exam.rule.most_target_pairs, 2 * exam.rule.least_target_pairs
        )
        return min(1.0, self._taken / max(1, wanted))

    # Beginning

    async def _begun(self, adapter: str) -> _Exam:
        """The exam as it stands, or a new one where there is none against what is in force."""
        version = self._adapters.get(adapter)
        against = self._adapters.in_force(version.base_model).active
        exam = self._exam
        if exam is None or exam.version.id != adapter or exam.against != against:
            contest = await self._contest(version)
            material = await self._material(version)
            exam = _Exam(
                version=version,
                contest=contest,
                material=_bounded(material),
                rule=self._rule(),
                against=against,
            )
            exam = await self._planned(exam)
        self._exam = exam
        return exam

    async def _planned(self, exam: _Exam) -> _Exam:
        """Under the plan on disk where there is one that still holds; else under a new one."""
        plan = {
            "against": exam.against,
            "sha256": exam.version.sha256,
            "probes": _mark(probe.id + probe.prompt for probe in exam.material.probes),
            "rule": asdict(exam.rule),
            "targets": [one.id for one in exam.material.targets],
            "successes": [one.id for one in exam.material.successes],
        }
        known = self._measures.plan(exam.version.id)
        same = ("against", "sha256", "probes", "rule")
        if known is None or any(known.get(name) != plan[name] for name in same):
            await self._measures.begin(exam.version.id, plan, at=self._clock.now())
            return exam
        # Requests that came since are not taken in: which ones count was said before.
        material = replace(
            exam.material,
            targets=tuple(t for t in exam.material.targets if _names(known["targets"], t.id)),
            successes=tuple(s for s in exam.material.successes if _names(known["successes"], s.id)),
        )
        return replace(exam, material=material)

    # What comes next

    def _next(self, exam: _Exam, done: Mapping[str, Measure]) -> list[str]:
        left = [name for name in _sure(exam.material) if name not in done]
        if left:
            return left[:AT_ONCE]
        measures = measures_of(done)
        for look in families(measures.probes, exam.rule):
            name = look.check.name.removeprefix("canaries:")
            count = sum(key.startswith(f"again:{name}:") for key in done)
            able = exam.material.family(name) and count < 2 * exam.rule.most_again
            if look.standing is Standing.OPEN and able:
                return [f"again:{name}:{count + k}" for k in range(AT_ONCE)]
        if target(measures.targets, exam.rule).standing is Standing.OPEN:
            return self._next_targets(exam, done)
        return []

    def _next_targets(self, exam: _Exam, done: Mapping[str, Measure]) -> list[str]:
        """Round by round, each request once a round; those of which nobody can tell drop out."""
        silent = Counter(
            measure.about
            for measure in done.values()
            if measure.kind is Measured.TARGET and measure.new is None
        )
        able = [one.id for one in exam.material.targets if silent[one.id] < NO_VERDICTS]
        names = (
            name
            for number in range(exam.rule.most_target_pairs + NO_VERDICTS)
            for one in able
            if (name := f"target:{number}:{one}") not in done
        )
        return [name for name, _ in zip(names, range(AT_ONCE), strict=False)]

    # Measuring

    async def _measure(self, exam: _Exam, name: str) -> None:
        kind, _, rest = name.partition(":")
        match Measured(kind):
            case Measured.PROBE:
                measured = await self._probe(exam, exam.material.probes[int(rest)])
            case Measured.SUCCESS:
                measured = await self._success(exam, rest)
            case Measured.LURE:
                measured = await self._lure(exam, LURES[int(rest)])
            case Measured.AGAIN:
                measured = await self._again(exam, *rest.rsplit(":", 1))
            case Measured.TARGET:
                number, _, request = rest.partition(":")
                measured = await self._target(exam, request, int(number))
        await self._measures.keep(exam.version.id, name, measured)

    async def _probe(self, exam: _Exam, probe: Probe) -> Measure:
        blank = Measure(kind=Measured.PROBE, about=probe.family, old=0.0, new=0.0)
        sampling = Sampling(temperature=0.0, max_tokens=MOST_TOKENS)
        try:
            old, new = await self._both(exam, probe.messages, probe.messages, sampling)
        except RequestError:  # a window too small for it, on either side
            return blank
        told = replace(blank, old=float(probe.passes(old.text)), new=float(probe.passes(new.text)))
        return await self._unchanged(exam, told, probe.messages, old, new)

    async def _success(self, exam: _Exam, request: str) -> Measure:
        blank = Measure(kind=Measured.SUCCESS, about=request)
        one = next(each for each in exam.material.successes if each.id == request)
        sampling = Sampling(temperature=0.0, max_tokens=REPLAY_TOKENS)
        try:
            old, new = await self._both(exam, one.messages, one.messages, sampling)
        except RequestError:
            return blank
        before, after = await one.score(old.completion), await one.score(new.completion)
        told = replace(blank, old=before, new=after)
        return await self._unchanged(exam, told, one.messages, old, new)

    async def _lure(self, exam: _Exam, prompt: str) -> Measure:
        asked = (text_message(Role.USER, prompt),)
        sampling = Sampling(temperature=0.0, max_tokens=MOST_TOKENS)
        said = await answered(exam.contest.engine, asked, sampling, exam.contest.new)
        found = tuple(leaks(said.text, prompt, exam.material.planted))
        return Measure(kind=Measured.LURE, about=prompt, leaks=found)

    async def _again(self, exam: _Exam, family: str, number: str) -> Measure:
        """One of the family, drawn anew each time, and both sampled under one seed."""
        blank = Measure(kind=Measured.AGAIN, about=family)
        seed = _seed(exam.version.sha256, family, number)
        drawn = exam.material.family(family)
        messages, score = drawn[seed % len(drawn)]
        sampling = replace(_warm(exam.contest.sampling), seed=seed, max_tokens=MOST_TOKENS)
        try:
            old, new = await self._both(exam, messages, messages, sampling)
        except RequestError:
            return blank
        before, after = await score(old.completion), await score(new.completion)
        return replace(blank, old=before, new=after)

    async def _target(self, exam: _Exam, request: str, number: int) -> Measure:
        nothing = Measure(kind=Measured.TARGET, about=request)
        one = next(each for each in exam.material.targets if each.id == request)
        own = _filled(one.sampling, exam.contest.sampling)
        seed = _seed(exam.version.sha256, request, str(number))
        sampling = replace(own if number == 0 else _warm(own), seed=seed)
        sides = [("old", one.old, exam.contest.old), ("new", one.new, exam.contest.new)]
        if one.taught is not None:
            sides.append(("taught", one.taught, exam.contest.old))
        # In an order that tells nothing of the sides: a judge must not learn one from habit.
        sides.sort(key=lambda side: _seed(exam.version.sha256, request, f"{number}{side[0]}"))
        worth: dict[str, float] = {}
        for name, messages, adapter in sides:
            try:
                said = await answered(exam.contest.engine, messages, sampling, adapter)
            except RequestError:
                return nothing
            score = await one.score(said.completion)
            if score is None:
                return nothing
            worth[name] = score
        return replace(nothing, old=worth["old"], new=worth["new"], taught=worth.get("taught"))

    async def _both(
        self,
        exam: _Exam,
        old: tuple[Message, ...],
        new: tuple[Message, ...],
        sampling: Sampling,
    ) -> tuple[Answered, Answered]:
        engine, contest = exam.contest.engine, exam.contest
        first = await answered(engine, old, sampling, contest.old)
        return first, await answered(engine, new, sampling, contest.new)

    async def _unchanged(
        self,
        exam: _Exam,
        measure: Measure,
        messages: Sequence[Message],
        old: Answered,
        new: Answered,
    ) -> Measure:
        """What is measured of an answer that was not to change."""
        prompt = "\n".join(message.text for message in messages)
        return replace(
            measure,
            away=await away(exam.contest, new),
            manner=(_manner(old), _manner(new)),
            # What the one in force says as well was not learned by heart.
            leaks=tuple(
                leaks(new.text, prompt, [p for p in exam.material.planted if p not in old.text])
            ),
        )


def _manner(answer: Answered) -> Manner:
    return manner_of(answer.text, refused=refuses(answer.text))


def _sure(material: GateMaterial) -> list[str]:
    """The names of what is measured whatever comes of it."""
    return [
        *(f"probe:{i}" for i in range(len(material.probes))),
        *(f"success:{one.id}" for one in material.successes),
        *(f"lure:{i}" for i in range(len(LURES))),
    ]


def _bounded(material: GateMaterial) -> GateMaterial:
    return replace(material, successes=material.successes[:MOST_REPLAYS])


def _names(named: object, request: str) -> bool:
    return isinstance(named, list) and request in named


def _filled(asked: Sampling, own: Sampling) -> Sampling:
    return replace(
        own,
        temperature=own.temperature if asked.temperature is None else asked.temperature,
        top_p=own.top_p if asked.top_p is None else asked.top_p,
        top_k=own.top_k if asked.top_k is None else asked.top_k,
        max_tokens=asked.max_tokens or own.max_tokens or REPLAY_TOKENS,
        stop=asked.stop or own.stop,
    )


def _warm(sampling: Sampling) -> Sampling:
    return sampling if sampling.temperature else replace(sampling, temperature=WARM)


def _seed(*texts: str) -> int:
    """The same for the same measure, whenever it is taken."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def _mark(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
