"""Begins the gate's exam of a new adapter: fixes in advance against which adapter, on which
requests and by which rule it is measured, and stores this plan.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Final

from lull.core.adapters.adapter import AdapterVersion
from lull.core.adapters.gate import GateRule
from lull.core.ports import Clock
from lull.loops.adapters.gate_answers import ComparedAdapters, LoadsForComparison
from lull.loops.adapters.gate_questions import CollectsMaterial, GateMaterial
from lull.store.adapters.adapter_files import AdapterFiles
from lull.store.adapters.adapters import Adapters
from lull.store.adapters.gate_measures import GateMeasures

MOST_REPLAYS: Final = 32
"""Maximum number of past successes (requests answered well before) that a gate asks again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateExam:
    """What one new adapter is measured against, on what, and by which limits it passes."""

    version: AdapterVersion
    contest: ComparedAdapters
    material: GateMaterial
    rule: GateRule
    against: str | None
    """Version of the adapter that was active when the exam began; None is the base model."""


class BeginExam:
    """Begins exams of new adapters, under the stored plan where an interrupted one is continued."""

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

    async def exam_of(self, adapter: str, current: GateExam | None) -> GateExam:
        """Return the `current` exam if it compares this adapter with the adapter that is active
        now, else a new exam. Raises LullError.
        """
        version = self._adapters.get(adapter)
        against = self._adapters.in_force(version.base_model).active
        if current is not None and (current.version.id, current.against) == (adapter, against):
            return current
        folder = self._files.folder(version.id)
        contest = await self._host.load_for_comparison(version, folder)
        material = await self._material.collect(version)
        exam = GateExam(
            version=version,
            contest=contest,
            material=material.with_fewer_successes(MOST_REPLAYS),
            rule=self._rule(),
            against=against,
        )
        return await self._planned(exam)

    async def _planned(self, exam: GateExam) -> GateExam:
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


def _is_named(named: object, request: str) -> bool:
    return isinstance(named, list) and request in named


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
