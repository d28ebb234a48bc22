"""Builds the exams, which test whether a chat model may read feedback, judge answers or write
skills.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from lull.backends.chat.llm_judge import JudgePrompts
from lull.backends.ollama.models import OllamaModels
from lull.backends.reader.exam_prompts import prompts_version
from lull.backends.reader.exam_sheets import load_exams, load_small_reader_result
from lull.config.learning import JudgeSettings
from lull.config.settings import Settings
from lull.core.errors import ResourceError
from lull.core.idle.ports import QuietRunner
from lull.core.models.candidates import MachineMemory
from lull.core.models.exam import ModelRole
from lull.loops.models.exam_candidates import ExamCandidates
from lull.loops.models.exam_papers import ExamPapers
from lull.loops.models.examine_models import ExamineModels
from lull.service.models.borrowed_models import BorrowedModels
from lull.service.models.examinees import Examinees, ExamQueue
from lull.service.models.makes_models import MakesModels
from lull.service.models.role_settings import models_to_examine
from lull.service.wiring.base.shared import SharedParts
from lull.store.models.exams import Exams

PROBLEM = "exams"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamParts:
    """The parts that run exams for chat models: the examiner, the models that it opened, and the
    list of exams still to be taken.
    """

    examine: ExamineModels
    examinees: Examinees
    queue: ExamQueue


def exams_of(
    shared: SharedParts, settings: Callable[[], Settings], make: MakesModels, quiet: QuietRunner
) -> ExamParts:
    """Build the parts that run exams (sets of labelled items), which decide which chat models may
    read feedback, judge answers and write skills.

    Missing resource files are shown as a problem, and then nothing is examined.
    """
    try:
        JudgePrompts.shipped()
        papers, small = load_exams(), load_small_reader_result()
    except ResourceError as error:
        shared.problems.report(PROBLEM, error)
        papers, small = {}, None
    examinees = Examinees(make, lambda: settings().judge)
    asking: set[str] = set()
    examine = ExamineModels(
        Exams(shared.stores.database),
        candidates=_candidates(shared, settings),
        papers=ExamPapers(papers, forms=lambda role: _version(role, settings().judge), small=small),
        examinee=examinees.named,
        quiet=quiet,
        clock=shared.clock,
    )
    borrowed = BorrowedModels(
        ollama=shared.models.ollama,
        asked=lambda: asking,
        activity=shared.activity,
        clock=shared.clock,
    )
    queue = ExamQueue(examine, models=borrowed, asking=asking, clock=shared.clock)
    return ExamParts(examine=examine, examinees=examinees, queue=queue)


def _candidates(shared: SharedParts, settings: Callable[[], Settings]) -> ExamCandidates:
    upstream = settings().upstream.resolved(os.environ, own_port=settings().service.port)
    return ExamCandidates(
        OllamaModels(shared.asking, upstream),
        state=shared.models.ollama,
        settings=lambda: models_to_examine(settings()),
        memory=this_memory,
    )


def _version(role: ModelRole, judge: JudgeSettings) -> str:
    return prompts_version(role, votes=judge.votes, temperature=judge.temperature)


def this_memory() -> MachineMemory:
    """Read this machine's memory sizes, which decide which chat models are examined."""
    found = psutil.virtual_memory()
    return MachineMemory(total_bytes=found.total, available_bytes=found.available)
