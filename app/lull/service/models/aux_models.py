"""Decides which chat model reads feedback, judges answers and writes skills now, and opens it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lull.config.learning import JudgeSettings, ReaderSettings, WriterSettings
from lull.config.settings import Settings
from lull.core.chat.ports import ChatModel
from lull.core.errors import LullError
from lull.core.feedback.judge import Judge, grades_itself
from lull.core.feedback.ports import FeedbackReader
from lull.core.models.candidates import is_auto, is_off
from lull.core.models.exam import ModelRole
from lull.core.ports import ProblemReporter
from lull.core.proof.proposal import ProposalOrigin
from lull.core.skills.ports import Evolver
from lull.loops.skills.make_candidate import SkillWriter
from lull.service.models.makes_models import MakesModels, OllamaChatModel
from lull.service.models.role_settings import models_and_addresses

_SETTINGS_OF = {
    ReaderSettings: "reader settings",
    JudgeSettings: "judge settings",
    WriterSettings: "skill writer settings",
}
"""Settings group (reader, judge or writer) → key of the problem that reports a bad address in it.
"""


def _nobody(_: ModelRole) -> str | None:
    return None


class AuxModels:
    """Opens the models that the current settings choose to read feedback, judge answers and write
    skills; implements `ChosenJudge`.
    """

    def __init__(
        self,
        make: MakesModels,
        settings: Callable[[], Settings],
        *,
        problems: ProblemReporter,
        own_writers: Sequence[Evolver],
        reader: FeedbackReader | None = None,
        admitted: Callable[[ModelRole], str | None] = _nobody,
    ) -> None:
        """The argument `reader` is Lull's own small model that reads users' messages for feedback,
        `own_writers` those that write skills without a model.

        The function `admitted` returns the model that passed the exam of a role, such as judge.
        """
        self._make = make
        self._settings = settings
        self._problems = problems
        self._own_writers = own_writers
        self._small_reader = reader
        self._admitted = admitted
        self._reader: tuple[ReaderSettings, FeedbackReader] | None = None
        self._judge: tuple[JudgeSettings, Judge] | None = None
        self._writer: tuple[WriterSettings, Evolver] | None = None
        self._opened: list[OllamaChatModel] = []

    async def close(self) -> None:
        """Close the connections to all models that were opened."""
        for chat in self._opened:
            await chat.close()

    def model_name(self, role: ModelRole) -> str:
        """Return the name of the model that has this role (feedback reader, judge or skill writer)
        now; "" if none has.
        """
        model, address = models_and_addresses(self._settings())[role]
        if is_off(model):
            return ""
        if not is_auto(model):
            return model
        # A model at its own address is never examined.
        return "" if address else self._admitted(role) or ""

    def reader(self) -> FeedbackReader | None:
        """Return the chat model that reads users' messages for feedback: the one that the settings
        choose, or Lull's own small model if they choose none or it cannot be used.
        """
        wanted = replace(self._settings().reader, model=self.model_name(ModelRole.READER))
        if not wanted.model:
            self._problems.set_or_clear(_SETTINGS_OF[ReaderSettings], None)
            return self._small_reader
        if self._reader is None or self._reader[0] != wanted:
            chat = self._chat(wanted)
            if chat is None:
                return self._small_reader
            self._reader = (wanted, self._make.reader(chat))
        return self._reader[1]

    def judge(self) -> Judge | None:
        """Return the judge (the model that scores answers) that the current settings name; None if
        there is none.
        """
        wanted = replace(self._settings().judge, model=self.model_name(ModelRole.JUDGE))
        if not wanted.model:
            self._problems.set_or_clear(_SETTINGS_OF[JudgeSettings], None)
            return None
        if self._judge is None or self._judge[0] != wanted:
            chat = self._chat(wanted)
            if chat is None:
                return None
            judge = self._make.judge(chat, votes=wanted.votes, temperature=wanted.temperature)
            self._judge = (wanted, judge)
        return self._judge[1]

    def writers(self) -> Sequence[SkillWriter]:
        """Return the programs and models that write candidate skills (instruction texts), in the
        order in which they are asked.

        Writers that use the user's own words come first: they are the most trusted, and need no
        model.
        """
        writers = [
            SkillWriter(evolver=one, origin=ProposalOrigin.EXTRACTIVE) for one in self._own_writers
        ]
        wanted = replace(self._settings().writer, model=self.model_name(ModelRole.WRITER))
        if not wanted.model:
            self._problems.set_or_clear(_SETTINGS_OF[WriterSettings], None)
            return writers
        if self._writer is None or self._writer[0] != wanted:
            chat = self._chat(wanted)
            if chat is None:
                return writers
            self._writer = (wanted, self._make.writer(chat))
        return [*writers, SkillWriter(evolver=self._writer[1], origin=ProposalOrigin.MODEL)]

    def _chat(self, wanted: ReaderSettings | JudgeSettings | WriterSettings) -> ChatModel | None:
        """The chat model for these settings; None, and a problem, if its address is not allowed."""
        problem = _SETTINGS_OF[type(wanted)]
        try:
            chat = self._endpoint(wanted)
        except LullError as error:
            self._problems.set_or_clear(problem, error)
            return None
        self._problems.set_or_clear(problem, None)
        return chat

    def _endpoint(self, wanted: ReaderSettings | JudgeSettings | WriterSettings) -> ChatModel:
        remote = not isinstance(wanted, ReaderSettings) and wanted.allow_remote
        if not isinstance(wanted, ReaderSettings) and wanted.address:
            return self._make.server(
                wanted.address, wanted.model, timeout_s=wanted.timeout_s, allow_remote=remote
            )
        chat = self._make.ollama(wanted.model, timeout_s=wanted.timeout_s, allow_remote=remote)
        self._opened.append(chat)
        return chat


class TrainingJudge:
    """The judge (the model that scores answers) for training: the chosen one, unless it is the very
    model being trained, which must not grade its own answers; implements `ChosenJudge`.
    """

    def __init__(self, models: AuxModels, settings: Callable[[], Settings]) -> None:
        self._models = models
        self._settings = settings

    def judge(self) -> Judge | None:
        now, named = self._settings(), self._models.model_name(ModelRole.JUDGE)
        if grades_itself(named, now.training.model, elsewhere=bool(now.judge.address)):
            return None
        return self._models.judge()
