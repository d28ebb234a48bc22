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
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from lull.core.adapters.gate import CheckProgress, CheckState, GateRule, decide, families, gain
from lull.core.adapters.gate_report import Verdict
from lull.core.adapters.measurement import Measure, MeasureKind, measures_of
from lull.core.errors import LullError
from lull.core.ports import Clock
from lull.core.provenance.leaks import LURES
from lull.loops.adapters.gate_answers import LoadsForComparison
from lull.loops.adapters.gate_exam import BeginExam, GateExam
from lull.loops.adapters.gate_measuring import TakeMeasures
from lull.loops.adapters.gate_questions import CollectsMaterial, GateMaterial
from lull.loops.feedback.at_once import at_once
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.adapters.gate_measures import GateMeasures

MEASURES_AT_ONCE: Final = 8
"""Number of requests to the two compared adapters that the gate runs at the same time.

The engine decodes several answers nearly as fast as one.
"""
NO_VERDICTS: Final = 3
"""How many failed attempts to score the answers to a held-out request make the gate
leave it out.
"""


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
        self._measures = measures
        self._clock = clock
        self._begin = BeginExam(
            adapters=adapters,
            files=files,
            measures=measures,
            host=host,
            material=material,
            clock=clock,
            rule=rule,
        )
        self._measuring = TakeMeasures(measures)
        self._exam: GateExam | None = None
        self._taken = 0
        """Number of measures taken in the current exam."""

    async def slice(self, adapter: str, until_s: float) -> Verdict | None:
        """Continue the test of a candidate adapter until `until_s` (monotonic clock); return the
        verdict, or None if the test is not finished.

        The verdict says whether the adapter may answer users.

        At least one batch of measurements is taken. Raises LullError; finished measurements are
        kept.
        """
        exam = self._exam = await self._begin.exam_of(adapter, self._exam)

        async def measure(name: str) -> None:
            await self._measuring.take(exam, name)

        try:
            while True:
                done = await asyncio.to_thread(self._measures.all, adapter)
                measures, self._taken = measures_of(done), len(done)
                looks = families(measures.probes, exam.rule)
                names = _next(exam, done, looks, gain(measures, exam.rule))
                if not names:
                    break
                await at_once(measure(name) for name in names)
                if self._clock.monotonic_s() >= until_s:
                    return None
            verdict = decide(measures, exam.rule, at=self._clock.now(), against=exam.against)
        except LullError:
            self._exam = None  # the adapters may have to be loaded again
            raise
        self._exam = None
        return verdict

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


def _next(
    exam: GateExam,
    done: Mapping[str, Measure],
    looks: Sequence[CheckProgress],
    gained: CheckProgress,
) -> list[str]:
    """Names of the measures to take now; none if the verdict is certain.

    `looks` are the canary families as measured so far, and `gained` is what was to improve.
    """
    left = [name for name in _always_measured(exam.material) if name not in done]
    if left:
        return left[:MEASURES_AT_ONCE]
    for look in looks:
        name = look.check.name.removeprefix("canaries:")
        count = sum(key.startswith(f"again:{name}:") for key in done)
        able = exam.material.family(name) and count < 2 * exam.rule.most_again
        if look.state is CheckState.OPEN and able:
            return [f"again:{name}:{count + k}" for k in range(MEASURES_AT_ONCE)]
    if gained.state is CheckState.OPEN:
        return _next_targets(exam, done)
    return []


def _next_targets(exam: GateExam, done: Mapping[str, Measure]) -> list[str]:
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


def _always_measured(material: GateMaterial) -> list[str]:
    """Names of the measures that are always taken."""
    return [
        *(f"probe:{i}" for i in range(len(material.probes))),
        *(f"success:{one.id}" for one in material.successes),
        *(f"lure:{i}" for i in range(len(LURES))),
        *(f"rated:{one.id}" for one in material.rated),
    ]
