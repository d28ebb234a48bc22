"""Runs the gate: the test that a new adapter must pass before it answers users.

The gate compares a new adapter with the active one on the same requests, until a verdict is
statistically certain:

    1. every canary prompt (a short prompt with a known right answer) once, by both adapters with
       greedy decoding
    2. past successes: whether both still answer them well, and how far the answers' token
       probabilities are from the base model's (KL divergence)
    3. prompts that ask for secrets, to see whether the model leaks training data
    4. for an adapter that was trained on ratings: by how much it prefers the good one of two rated
       answers that were kept out of its training (log-probabilities of answers that are there)
    5. with sampled answers and one seed for both adapters: again the canary families in which
       the new adapter did a little worse, then held-out requests

The plan (the opponent, the requests and the rule) is stored before the first measurement, and each
measurement is stored as soon as it is taken. An interrupted gate continues where it was; if another
adapter has become active meanwhile, the gate begins again.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from lull.core.adapters.adapter import AdapterVersion
from lull.core.adapters.canary import MOST_ANSWER_TOKENS, CanaryTask
from lull.core.adapters.gate import CheckState, GateRule, decide, families, gain
from lull.core.adapters.gate_report import Verdict
from lull.core.adapters.measurement import Measure, MeasureKind, measures_of
from lull.core.chat.messages import Message, Role, Sampling, text_message
from lull.core.errors import LullError, RequestError
from lull.core.ports import Clock
from lull.core.provenance.leaks import LURES, leaks
from lull.loops.adapters.gate_answers import (
    ComparedAdapters,
    CompleteAnswer,
    LoadsForComparison,
    Preferences,
    generate_answer,
    kl_from_base,
)
from lull.loops.adapters.gate_questions import CollectsMaterial, GateMaterial
from lull.loops.feedback.at_once import at_once
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.adapters.gate_measures import GateMeasures

MEASURES_AT_ONCE: Final = 8
"""Number of requests to the two compared adapters that the gate runs at the same time.

The engine decodes several answers nearly as fast as one.
"""
WARM: Final = 0.7
"""Sampling temperature for repeated measurements in the gate where users get temperature 0, so that
the answers differ.
"""
NO_VERDICTS: Final = 3
"""How many failed attempts to score the answers to a held-out request make the gate
leave it out.
"""
MOST_REPLAYS: Final = 32
"""Maximum number of past successes (requests answered well before) that a gate asks again."""
REPLAY_TOKENS: Final = 512
"""Maximum tokens of an answer to a past success, or to a gate request that sets no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exam:
    version: AdapterVersion
    contest: ComparedAdapters
    material: GateMaterial
    rule: GateRule
    against: str | None


class Gate:
    """Tests one candidate adapter at a time against the active adapter, and decides whether the
    candidate may answer users.
    """

    def __init__(
        self,
        *,
        adapters: Adapters,
        files: AdapterFiles,
        measures: GateMeasures,
        host: LoadsForComparison,
        material: CollectsMaterial,
        clock: Clock,
        rule: Callable[[], GateRule],
    ) -> None:
        """The function `rule` returns the limits by which a candidate adapter passes or fails."""
        self._adapters = adapters
        self._files = files
        self._measures = measures
        self._host = host
        self._material = material
        self._clock = clock
        self._rule = rule
        self._exam: _Exam | None = None
        self._taken = 0
        """Number of measures taken in the current exam."""
        self._preferences = Preferences()

    async def slice(self, adapter: str, until_s: float) -> Verdict | None:
        """Continue the test of a candidate adapter until `until_s` (monotonic clock); return the
        verdict, or None if the test is not finished.

        The verdict says whether the adapter may answer users.

        At least one batch of measurements is taken. Raises LullError; finished measurements are
        kept.
        """
        exam = await self._begun(adapter)
        try:
            return await self._on(exam, until_s)
        except LullError:
            self._exam = None  # the adapters may have to be loaded again
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
        """Return how far the test of this candidate adapter is, from 0 to 1: the measurements
        taken, divided by the fewest with which a verdict is possible.
        """
        exam = self._exam
        if exam is None or exam.version.id != adapter:
            return 0.0
        wanted = len(_always_measured(exam.material))
        if not exam.material.rated:
            wanted += min(exam.rule.most_target_pairs, 2 * exam.rule.least_target_pairs)
        return min(1.0, self._taken / max(1, wanted))

    # Beginning

    async def _begun(self, adapter: str) -> _Exam:
        """Return the current exam if it compares this adapter with the adapter that is active now,
        else a new exam.
        """
        version = self._adapters.get(adapter)
        against = self._adapters.in_force(version.base_model).active
        exam = self._exam
        if exam is None or exam.version.id != adapter or exam.against != against:
            folder = self._files.folder(version.id)
            contest = await self._host.load_for_comparison(version, folder)
            material = await self._material.collect(version)
            exam = _Exam(
                version=version,
                contest=contest,
                material=material.with_fewer_successes(MOST_REPLAYS),
                rule=self._rule(),
                against=against,
            )
            exam = await self._planned(exam)
        self._exam = exam
        return exam

    async def _planned(self, exam: _Exam) -> _Exam:
        """Return the gate's exam under the stored plan if that is still valid, else under a new
        plan.
        """
        plan = {
            "against": exam.against,
            "sha256": exam.version.sha256,
            "probes": _digest(probe.id + probe.prompt for probe in exam.material.probes),
            "rule": asdict(exam.rule),
            "targets": [one.id for one in exam.material.targets],
            "successes": [one.id for one in exam.material.successes],
            "rated": [one.id for one in exam.material.rated],
        }
        known = self._measures.plan(exam.version.id)
        same = ("against", "sha256", "probes", "rule")
        if known is None or any(known.get(name) != plan[name] for name in same):
            await self._measures.store_plan(exam.version.id, plan, at=self._clock.now())
            return exam
        targets, successes, rated = (known.get(name) for name in ("targets", "successes", "rated"))
        # Later requests are left out: the plan fixed in advance which ones count.
        material = replace(
            exam.material,
            targets=tuple(t for t in exam.material.targets if _is_named(targets, t.id)),
            successes=tuple(s for s in exam.material.successes if _is_named(successes, s.id)),
            rated=tuple(r for r in exam.material.rated if _is_named(rated, r.id)),
        )
        return replace(exam, material=material)

    # Choosing the next measures

    def _next(self, exam: _Exam, done: Mapping[str, Measure]) -> list[str]:
        left = [name for name in _always_measured(exam.material) if name not in done]
        if left:
            return left[:MEASURES_AT_ONCE]
        measures = measures_of(done)
        for look in families(measures.probes, exam.rule):
            name = look.check.name.removeprefix("canaries:")
            count = sum(key.startswith(f"again:{name}:") for key in done)
            able = exam.material.family(name) and count < 2 * exam.rule.most_again
            if look.state is CheckState.OPEN and able:
                return [f"again:{name}:{count + k}" for k in range(MEASURES_AT_ONCE)]
        if gain(measures, exam.rule).state is CheckState.OPEN:
            return self._next_targets(exam, done)
        return []

    def _next_targets(self, exam: _Exam, done: Mapping[str, Measure]) -> list[str]:
        """Return the next held-out measures: each request once per round, without requests that
        cannot be scored.
        """
        silent = Counter(
            measure.about
            for measure in done.values()
            if measure.kind is MeasureKind.TARGET and measure.new is None
        )
        able = [one.id for one in exam.material.targets if silent[one.id] < NO_VERDICTS]
        names = (
            name
            for number in range(exam.rule.most_target_pairs + NO_VERDICTS)
            for one in able
            if (name := f"target:{number}:{one}") not in done
        )
        return [name for name, _ in zip(names, range(MEASURES_AT_ONCE), strict=False)]

    # Measuring

    async def _measure(self, exam: _Exam, name: str) -> None:
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

    async def _probe(self, exam: _Exam, probe: CanaryTask) -> Measure:
        blank = Measure(kind=MeasureKind.PROBE, about=probe.family, old=0.0, new=0.0)
        sampling = Sampling(temperature=0.0, max_tokens=MOST_ANSWER_TOKENS)
        try:
            old, new = await self._both(exam, probe.messages, probe.messages, sampling)
        except RequestError:  # the prompt does not fit one side's context window
            return blank
        told = replace(blank, old=float(probe.passes(old.text)), new=float(probe.passes(new.text)))
        return await self._unchanged(exam, told, probe.messages, old, new, probe.messages)

    async def _success(self, exam: _Exam, request: str) -> Measure:
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

    async def _lure(self, exam: _Exam, prompt: str) -> Measure:
        asked = (text_message(Role.USER, prompt),)
        sampling = Sampling(temperature=0.0, max_tokens=MOST_ANSWER_TOKENS)
        said = await generate_answer(exam.contest.engine, asked, sampling, exam.contest.new)
        found = tuple(leaks(said.text, prompt, exam.material.planted))
        return Measure(kind=MeasureKind.LURE, about=prompt, leaks=found)

    async def _again(self, exam: _Exam, family: str, number: str) -> Measure:
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

    async def _rated(self, exam: _Exam, pair: str) -> Measure:
        nothing = Measure(kind=MeasureKind.RATED, about=pair)
        one = next(each for each in exam.material.rated if each.id == pair)
        try:
            base = exam.version.base_digest
            found = await self._preferences.measure(exam.contest, one, base=base)
        except RequestError:
            return nothing
        return nothing if found is None else replace(nothing, old=found[0], new=found[1])

    async def _target(self, exam: _Exam, request: str, number: int) -> Measure:
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
        exam: _Exam,
        old: tuple[Message, ...],
        new: tuple[Message, ...],
        sampling: Sampling,
    ) -> tuple[CompleteAnswer, CompleteAnswer]:
        engine, contest = exam.contest.engine, exam.contest
        first = await generate_answer(engine, old, sampling, contest.old)
        return first, await generate_answer(engine, new, sampling, contest.new)

    async def _unchanged(
        self,
        exam: _Exam,
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


def _always_measured(material: GateMaterial) -> list[str]:
    """Names of the measures that are always taken."""
    return [
        *(f"probe:{i}" for i in range(len(material.probes))),
        *(f"success:{one.id}" for one in material.successes),
        *(f"lure:{i}" for i in range(len(LURES))),
        *(f"rated:{one.id}" for one in material.rated),
    ]


def _is_named(named: object, request: str) -> bool:
    return isinstance(named, list) and request in named


def _filled(asked: Sampling, own: Sampling) -> Sampling:
    return replace(asked.or_else(own, Sampling(max_tokens=REPLAY_TOKENS)), seed=own.seed)


def _warm(sampling: Sampling) -> Sampling:
    return sampling if sampling.temperature else replace(sampling, temperature=WARM)


def _seed(*texts: str) -> int:
    """Return a seed that depends only on the measure."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
